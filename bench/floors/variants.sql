-- The least that plain sqlite3 does to store variants and to find them again.

-- name: schema
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE variant (
    id INTEGER PRIMARY KEY, sku, product_id, type, internal_barcode, created_at, updated_at, json
);
CREATE INDEX variant_sku ON variant (sku COLLATE NOCASE);
CREATE INDEX variant_product ON variant (product_id);
CREATE INDEX variant_updated ON variant (updated_at);
CREATE INDEX variant_created ON variant (created_at);
CREATE INDEX variant_barcode ON variant (internal_barcode);
CREATE TABLE code (code COLLATE NOCASE, id, PRIMARY KEY (code, id)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (keys, names, extras, related, content = '', columnsize = 0);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);

-- name: insert
INSERT INTO variant VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: insert_code
INSERT OR IGNORE INTO code VALUES (?, ?);

-- name: insert_words
INSERT INTO words (rowid, keys, names, extras, related) VALUES (?, ?, ?, ?, ?);

-- name: by_id
SELECT json FROM variant WHERE id = ?;

-- name: by_sku
SELECT json FROM variant WHERE sku = ? COLLATE NOCASE;

-- name: hundred
SELECT json FROM variant WHERE id BETWEEN ? AND ?;

-- A search answers with the best 20 records, whole codes first, and with how many there are in all.

-- name: coded
SELECT id FROM code WHERE code = ?;

-- name: ranked
SELECT rowid, count(*) OVER () FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20;

-- name: records
SELECT json FROM variant WHERE id IN (SELECT value FROM json_each(?));

-- name: holding
SELECT term FROM vocabulary WHERE instr(term, ?) LIMIT 20;
