-- A small shop, and next to it everything by which MariaDB calls code of users under the name of
-- something else. Every trap calls canary(), which changes a setting of the server.
CREATE TABLE customers (
  id INT PRIMARY KEY, name VARCHAR(40) NOT NULL, country CHAR(2), mail VARCHAR(60), created DATE
);
CREATE TABLE products (
  id INT PRIMARY KEY, name VARCHAR(40), category VARCHAR(20), price DECIMAL(10, 2), attributes JSON
);
CREATE TABLE orders (
  id INT PRIMARY KEY, customer_id INT, product_id INT, quantity INT, total DECIMAL(10, 2),
  state ENUM('open', 'paid', 'shipped'), placed DATETIME, note TEXT,
  gross DECIMAL(10, 2) AS (total * 1.19) VIRTUAL
);
INSERT INTO customers
SELECT seq, CONCAT('Customer ', seq), ELT(1 + seq % 3, 'DE', 'FR', 'US'),
       CONCAT('c', seq, '@example.com'), DATE '2025-01-01' + INTERVAL seq DAY FROM seq_1_to_20;
INSERT INTO products
SELECT seq, CONCAT('Product ', seq), ELT(1 + seq % 2, 'toys', 'books'), seq * 3.5,
       '{"color": "red", "sizes": [1, 2]}' FROM seq_1_to_10;
INSERT INTO orders (id, customer_id, product_id, quantity, total, state, placed, note)
SELECT seq, 1 + seq % 20, 1 + seq % 10, 1 + seq % 3, seq * 2.25,
       ELT(1 + seq % 3, 'open', 'paid', 'shipped'),
       TIMESTAMP '2025-03-01 10:00:00' + INTERVAL seq * 7 HOUR, CONCAT('Note ', seq)
FROM seq_1_to_100;
CREATE VIEW sales AS
  SELECT c.country, p.category, SUM(o.total) AS revenue, COUNT(*) AS orders, UPPER(c.country) AS big
  FROM orders o JOIN customers c ON c.id = o.customer_id JOIN products p ON p.id = o.product_id
  GROUP BY c.country, p.category;
CREATE VIEW best_sales AS SELECT * FROM sales WHERE revenue > 100;
CREATE VIEW ranked AS
  WITH x (id, total) AS (SELECT id, total FROM orders WHERE note LIKE 'Note (%' OR id IN (1, 2, 3))
  SELECT id, RANK() OVER (ORDER BY total) AS position, IF(total > 3, 'big', 'small') AS size FROM x;

DELIMITER //
CREATE FUNCTION canary() RETURNS INT BEGIN SET GLOBAL max_error_count = 77; RETURN 1; END//
CREATE FUNCTION sure() RETURNS INT DETERMINISTIC BEGIN SET GLOBAL max_error_count = 77; RETURN 1; END//
CREATE FUNCTION quietly() RETURNS DATE DETERMINISTIC
  BEGIN SET GLOBAL max_error_count = 77; RETURN '2025-01-01'; END//
CREATE FUNCTION any_value(x INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION regexp_like(x TEXT, y TEXT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION bin_to_uuid(x TEXT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION uuid_to_bin(x TEXT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION json_storage_size(x TEXT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION date_trunc(x TEXT, y DATETIME) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `count`(x INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `sum`(x INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `max`(x INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `group_concat`(x TEXT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `now`() RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `curdate`() RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `trim`(x TEXT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `substring`(x TEXT, y INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `mid`(x TEXT, y INT, z INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `cast`(x INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `extract`(x INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `first`(x INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `offset`(x INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `text`(x INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `following`(x INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `upper`(x INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `round`(x TEXT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `concat`(x TEXT) RETURNS INT BEGIN RETURN canary(); END//
CREATE FUNCTION `total`(x INT) RETURNS INT BEGIN RETURN canary(); END//
CREATE AGGREGATE FUNCTION `median`(x INT) RETURNS INT
  BEGIN DECLARE CONTINUE HANDLER FOR NOT FOUND RETURN canary(); LOOP FETCH GROUP NEXT ROW; END LOOP; END//
CREATE AGGREGATE FUNCTION array_agg(x INT) RETURNS INT
  BEGIN DECLARE CONTINUE HANDLER FOR NOT FOUND RETURN canary(); LOOP FETCH GROUP NEXT ROW; END LOOP; END//
DELIMITER ;
CREATE DATABASE pg_catalog;
DELIMITER //
CREATE FUNCTION pg_catalog.upper(x TEXT) RETURNS INT BEGIN SET GLOBAL max_error_count = 77; RETURN 1; END//
CREATE FUNCTION pg_catalog.first(x TEXT) RETURNS INT BEGIN SET GLOBAL max_error_count = 77; RETURN 1; END//
DELIMITER ;
CREATE VIEW baited AS SELECT id, canary() AS ran FROM customers;
CREATE VIEW deep AS SELECT * FROM (SELECT * FROM baited) x;
CREATE VIEW deeper AS SELECT ran FROM deep WHERE id = 1;
CREATE VIEW filtered AS SELECT id FROM customers WHERE id = sure();
CREATE VIEW disguised AS SELECT `count`(id) AS ran, COUNT(id) AS n FROM customers GROUP BY id;
CREATE VIEW joined AS SELECT c.id FROM customers c JOIN orders o ON o.id = any_value(c.id);
-- Opening these calls a function: the number of decimals is wanted.
CREATE VIEW decimals AS SELECT ROUND(1.234, sure()) AS a, id FROM customers;
CREATE VIEW parts AS SELECT id FROM customers WHERE SUBSTRING('abc', sure()) = 'abc';
CREATE SQL SECURITY INVOKER VIEW invoked AS SELECT id, canary() AS ran FROM customers;
CREATE ALGORITHM = TEMPTABLE VIEW stored AS SELECT id, sure() AS ran FROM customers;
SET GLOBAL max_error_count = 64;
CREATE USER reader;
CREATE USER plain;
GRANT SELECT, SHOW VIEW, EXECUTE ON *.* TO reader;
GRANT SELECT, SHOW VIEW ON names.* TO plain;
CREATE USER blind;
GRANT SELECT ON names.* TO blind;
