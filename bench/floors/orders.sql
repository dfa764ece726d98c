-- The least that plain sqlite3 does to store sales orders with their rows and to list them.

-- name: schema
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE sales_order (
    id INTEGER PRIMARY KEY, order_no, status, customer_id, created_at, delivery_date, json
);
CREATE INDEX order_no ON sales_order (order_no);
CREATE INDEX order_status ON sales_order (status);
CREATE INDEX order_customer ON sales_order (customer_id);
CREATE INDEX order_created ON sales_order (created_at);
CREATE INDEX order_delivery ON sales_order (delivery_date);
CREATE TABLE sales_order_row (order_id, position, variant_id, json, PRIMARY KEY (order_id, position)) WITHOUT ROWID;
CREATE INDEX row_variant ON sales_order_row (variant_id);
CREATE VIRTUAL TABLE words USING fts5 (keys, names, extras, related, content = '', columnsize = 0);

-- name: insert
INSERT INTO sales_order VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: insert_row
INSERT INTO sales_order_row VALUES (?, ?, ?, ?);

-- name: insert_words
INSERT INTO words (rowid, keys, names, extras, related) VALUES (?, ?, ?, ?, ?);

-- name: page
SELECT id, json FROM sales_order ORDER BY id DESC LIMIT 50;

-- name: page_by_status
SELECT id, json FROM sales_order WHERE status = ? ORDER BY id DESC LIMIT 50;

-- name: page_by_window
SELECT id, json FROM sales_order WHERE delivery_date >= ? AND delivery_date < ? ORDER BY delivery_date LIMIT 50;

-- name: page_by_variant
SELECT id, json FROM sales_order
WHERE id IN (SELECT order_id FROM sales_order_row WHERE variant_id = ?) ORDER BY id DESC LIMIT 50;

-- name: rows
SELECT json FROM sales_order_row WHERE order_id = ? ORDER BY position;
