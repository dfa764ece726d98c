-- The least that plain sqlite3 does to store documents with their rows and the text they borrow, and to list them.

-- name: schema
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE document (id INTEGER PRIMARY KEY, number, status, party, created_at, due_at, json);
CREATE INDEX document_number ON document (number);
CREATE INDEX document_status ON document (status);
CREATE INDEX document_party ON document (party);
CREATE INDEX document_created ON document (created_at);
CREATE INDEX document_due ON document (due_at);
CREATE TABLE document_row (document, position, variant, json, PRIMARY KEY (document, position)) WITHOUT ROWID;
CREATE INDEX row_variant ON document_row (variant);
CREATE TABLE lent (kind, id, text, PRIMARY KEY (kind, id)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (keys, names, extras, related, content = '', columnsize = 0);

-- name: lend
INSERT INTO lent VALUES (?, ?, ?);

-- name: borrow
SELECT id, text FROM lent WHERE kind = ? AND id IN (SELECT value FROM json_each(?));

-- name: insert
INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: insert_row
INSERT INTO document_row VALUES (?, ?, ?, ?);

-- name: insert_words
INSERT INTO words (rowid, keys, names, extras, related) VALUES (?, ?, ?, ?, ?);

-- name: by_id
SELECT id, json FROM document WHERE id = ?;

-- name: by_number
SELECT id, json FROM document WHERE number = ?;

-- name: page
SELECT id, json FROM document ORDER BY id DESC LIMIT 50;

-- name: page_by_status
SELECT id, json FROM document WHERE status = ? ORDER BY id DESC LIMIT 50;

-- name: page_by_window
SELECT id, json FROM document WHERE due_at BETWEEN ? AND ? ORDER BY id DESC LIMIT 50;

-- name: page_by_party
SELECT id, json FROM document WHERE party = ? ORDER BY id DESC LIMIT 50;

-- name: page_by_variant
SELECT id, json FROM document
WHERE id IN (SELECT document FROM document_row WHERE variant = ?) ORDER BY id DESC LIMIT 50;

-- name: page_open
SELECT id, json FROM document WHERE status <> ? ORDER BY id DESC LIMIT 50;

-- name: page_overdue
SELECT id, json FROM document WHERE status <> ? AND due_at < ? ORDER BY due_at LIMIT 50;

-- name: page_by_status_and_window
SELECT id, json FROM document WHERE status = ? AND due_at BETWEEN ? AND ? ORDER BY due_at LIMIT 50;

-- name: count
SELECT count(*) FROM document WHERE status = ? AND due_at BETWEEN ? AND ?;

-- name: search
SELECT d.id, d.json FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20) w
JOIN document d ON d.id = w.rowid;

-- name: rows
SELECT json FROM document_row WHERE document IN (SELECT value FROM json_each(?)) ORDER BY document, position;
