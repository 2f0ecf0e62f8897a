-- A small shop, and next to it whatever calls a function that no statement may call. A file holds
-- no functions of users; its views, computed columns and indexes call the library's by themselves.
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, mail TEXT, created TEXT);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) INSERT INTO customers SELECT i, 'Customer ' || i, substr('DEFRUS', 1 + 2 * (i % 3), 2), 'c' || i || '@example.com', date('2025-01-01', '+' || i || ' days') FROM n;
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, category TEXT, price REAL, attributes TEXT);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) INSERT INTO products SELECT i, 'Product ' || i, iif(i % 2, 'toys', 'books'), i * 3.5, '{"color": "red", "sizes": [1, 2]}' FROM n;
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INT, product_id INT, quantity INT, total REAL, state TEXT, placed TEXT, note TEXT, gross REAL AS (round(total * 1.19, 2)));
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO orders (id, customer_id, product_id, quantity, total, state, placed, note) SELECT i, 1 + i % 20, 1 + i % 10, 1 + i % 3, i * 2.25, iif(i % 3, 'paid', 'open'), datetime('2025-03-01 10:00', '+' || (7 * i) || ' hours'), 'Note ' || i FROM n;
CREATE INDEX by_note ON orders (lower(note));
CREATE VIEW sales AS SELECT c.country, p.category, sum(o.total) AS revenue, count(*) AS orders FROM orders o JOIN customers c ON c.id = o.customer_id JOIN products p ON p.id = o.product_id GROUP BY c.country, p.category;
CREATE VIEW best_sales AS SELECT * FROM sales WHERE revenue > 100;
CREATE VIRTUAL TABLE articles USING fts5 (title, body);
INSERT INTO articles VALUES ('Tea', 'Green tea and black tea'), ('Coffee', 'Beans');
CREATE TABLE bait (id INTEGER PRIMARY KEY, word TEXT);
INSERT INTO bait (id, word) VALUES (1, 'x');
CREATE VIEW loading AS SELECT load_extension('/tmp/none.so') AS x, id FROM customers;
CREATE VIEW deep AS SELECT x FROM (SELECT * FROM loading);
CREATE VIEW bombs AS SELECT length(zeroblob(1000000)) AS x FROM customers;
CREATE VIEW tokens AS SELECT fts3_tokenizer('simple') AS x FROM customers;
CREATE VIEW filtered AS SELECT id FROM customers WHERE sqlite_version() > '1' AND changes() >= 0;
CREATE VIEW schemas AS SELECT name, sql FROM sqlite_master;
CREATE VIEW settings AS SELECT name FROM pragma_database_list;
CREATE VIEW named AS SELECT last_insert_rowid() AS x, total_changes() AS y;
CREATE VIEW with_names AS WITH load_extension (a) AS (SELECT 1) SELECT sqlite_source_id() AS x, a FROM load_extension;
