-- Names that the SELECT list repeats, NULL as an operand, PIVOT, aggregates of outer columns.
SELECT name, name, COUNT(*) FROM customers GROUP BY name
SELECT name, name, COUNT(*) FROM customers GROUP BY 1
SELECT name, name, COUNT(*) FROM customers GROUP BY customers.name
SELECT name, email AS name, COUNT(*) FROM customers GROUP BY name
SELECT name, UPPER(name) AS name, COUNT(*) FROM customers GROUP BY name
SELECT name, name FROM customers GROUP BY name
SELECT c.name, name FROM customers c GROUP BY name
SELECT c.name, c.name FROM customers c GROUP BY name
SELECT name, COUNT(*) AS name FROM customers GROUP BY name
SELECT UPPER(name) AS name, LOWER(name) AS name FROM customers GROUP BY name
SELECT age AS x, age AS x FROM customers GROUP BY x
SELECT age AS x, age AS x FROM customers GROUP BY age
SELECT age, age FROM customers ORDER BY age
SELECT age AS x, age AS x FROM customers ORDER BY x
SELECT name AS x, age AS x FROM customers ORDER BY x
SELECT name AS age, age FROM customers ORDER BY age
SELECT age, age, COUNT(*) FROM customers GROUP BY ROLLUP(age)
SELECT age, age, COUNT(*) FROM customers GROUP BY GROUPING SETS ((age), ())
SELECT age AS x, age AS x, COUNT(*) FROM customers GROUP BY GROUPING SETS (x)
SELECT *, name FROM customers QUALIFY ROW_NUMBER() OVER (PARTITION BY name ORDER BY age) = 1
SELECT *, name FROM customers QUALIFY ROW_NUMBER() OVER (PARTITION BY customers.name ORDER BY age) = 1
SELECT name, name FROM customers QUALIFY ROW_NUMBER() OVER (PARTITION BY name ORDER BY age) = 1
SELECT name, email AS name FROM customers QUALIFY ROW_NUMBER() OVER (PARTITION BY name ORDER BY age) = 1
SELECT email AS name FROM customers QUALIFY ROW_NUMBER() OVER (PARTITION BY name ORDER BY age) = 1
SELECT name, name, COUNT(*) FROM customers GROUP BY name HAVING name > 'a'
SELECT name AS a, name AS a, COUNT(*) FROM customers GROUP BY 1 HAVING a > 'a'
SELECT name, name, COUNT(*) FROM customers GROUP BY 1 HAVING name > 'a'
SELECT *, name FROM customers ORDER BY name
SELECT *, age FROM customers WHERE age > 1 ORDER BY age
SELECT *, name FROM customers GROUP BY name
SELECT DISTINCT name, name FROM customers ORDER BY name
SELECT name, name, 1 FROM customers GROUP BY name, 1
SELECT address.country, address.country, COUNT(*) FROM customers GROUP BY country
SELECT address.country, address.country, COUNT(*) FROM customers GROUP BY address.country
SELECT name, name, COUNT(*) FROM customers GROUP BY UPPER(name), name
SELECT name, name, COUNT(*) FROM customers GROUP BY UPPER(name)
SELECT name AS n, age AS n, COUNT(*) FROM customers GROUP BY UPPER(n)
SELECT name AS Nm, age AS nM, COUNT(*) FROM customers GROUP BY nm
SELECT a.name, a.name, b.amount FROM customers a JOIN orders b USING (customer_id) GROUP BY name, amount
SELECT a.customer_id, b.customer_id FROM customers a JOIN orders b ON TRUE GROUP BY customer_id
SELECT a.customer_id, b.customer_id FROM customers a JOIN orders b ON TRUE GROUP BY a.customer_id, b.customer_id
SELECT a.customer_id, a.customer_id FROM customers a JOIN orders b ON TRUE GROUP BY customer_id
SELECT a.customer_id, b.customer_id FROM customers a JOIN orders b ON TRUE ORDER BY customer_id
SELECT a.customer_id, a.customer_id FROM customers a JOIN orders b ON TRUE ORDER BY customer_id
SELECT a.customer_id, a.customer_id FROM customers a JOIN orders b ON TRUE QUALIFY ROW_NUMBER() OVER (ORDER BY customer_id) = 1
SELECT name, name FROM customers WINDOW w AS (ORDER BY name)
SELECT name, name, SUM(age) OVER w FROM customers WINDOW w AS (ORDER BY name)
SELECT name, name, SUM(age) OVER (ORDER BY name) FROM customers
SELECT age < NULL FROM customers
SELECT age = NULL FROM customers
SELECT age <> NULL FROM customers
SELECT NULL > age FROM customers
SELECT age IN (NULL) FROM customers
SELECT age BETWEEN NULL AND 3 FROM customers
SELECT age <= (NULL) FROM customers
SELECT NULL = NULL
SELECT age < CAST(NULL AS INT64) FROM customers
SELECT name LIKE NULL FROM customers
SELECT age + NULL FROM customers
SELECT age IS DISTINCT FROM NULL FROM customers
SELECT ARRAY_AGG(kind LIMIT 'a') FROM events
SELECT ARRAY_AGG(kind LIMIT 2.5) FROM events
SELECT ARRAY_AGG(kind LIMIT 1 + 1) FROM events
SELECT ARRAY_AGG(kind LIMIT -1) FROM events
SELECT ARRAY_AGG(kind LIMIT user_id) FROM events
SELECT ARRAY_AGG(kind LIMIT @p) FROM events
SELECT ARRAY_AGG(kind LIMIT NULL) FROM events
SELECT ARRAY_AGG(kind LIMIT CAST(1 AS INT64)) FROM events
SELECT STRING_AGG(kind, ',' LIMIT 'x') FROM events
SELECT ARRAY_AGG(kind LIMIT 0x10) FROM events
SELECT kind FROM events LIMIT '1'
SELECT kind FROM events LIMIT 1.5
SELECT kind FROM events LIMIT NULL
SELECT kind FROM events LIMIT 1 + 1
SELECT kind FROM events LIMIT CAST(1 AS INT64)
SELECT kind FROM events LIMIT 1 OFFSET 'a'
SELECT kind FROM events LIMIT -1
SELECT c.name, (SELECT MAX(o.amount) FROM orders o WHERE o.customer_id = c.o.customer_id) AS biggest FROM customers c
SELECT c.o.customer_id FROM customers c
SELECT c.foo.bar FROM customers c
SELECT c.foo FROM customers c
SELECT customers.c.name FROM customers
SELECT c.name FROM (SELECT name FROM customers) c WHERE c.x.y = 1
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (round(amount) AS s FOR status IN ('paid', 'open'))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (amount AS s FOR status IN ('paid', 'open'))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(amount) + 1 AS s FOR status IN ('paid', 'open'))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (ROUND(SUM(amount), 2) AS s FOR status IN ('paid', 'open'))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(amount) AS s FOR max(status) IN ('paid', 'open'))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(amount) AS s FOR UPPER(status) IN ('paid', 'open'))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(amount) AS s FOR RANK() OVER (ORDER BY amount) IN (1))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(amount) FOR status IN (1, 2))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(amount) FOR status IN (status))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(amount), COUNT(*) FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(amount) AS a, COUNT(*) AS b FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(amount) OVER () FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(DISTINCT amount) FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(CASE WHEN amount > 1 THEN 1 END) FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT ((SUM(amount)) FOR status IN ('a'))
SELECT * FROM orders PIVOT (SUM(amount) FOR status IN ('a'))
SELECT * FROM (SELECT status, amount FROM orders) PIVOT (SUM(amount) FOR status IN (SELECT 'a'))
SELECT * FROM (SELECT status, amount FROM orders) PIVOT (SUM(amount) FOR status IN UNNEST(['a']))
SELECT * FROM (SELECT status, amount FROM orders) PIVOT (ARRAY_AGG(amount LIMIT 1)[OFFSET(0)] FOR status IN ('a'))
SELECT name, (SELECT MAX(age)) FROM customers
SELECT name, (SELECT MAX(age)) FROM customers GROUP BY name
SELECT name, (SELECT MAX(age) FROM orders) FROM customers
SELECT name, (SELECT MAX(c.age) FROM orders o) FROM customers c
SELECT name, (SELECT COUNT(*)) FROM customers
SELECT name FROM customers WHERE age = (SELECT MAX(age))
SELECT name FROM customers WHERE age = (SELECT MAX(c.age) FROM orders)
SELECT name FROM customers c WHERE age = (SELECT MAX(c.age + o.amount) FROM orders o)
SELECT (SELECT SUM(x) FROM UNNEST([1,2]) x)
SELECT MAX(age), (SELECT MAX(age)) FROM customers
SELECT (SELECT MAX(tags)) FROM customers
SELECT (SELECT ARRAY_LENGTH(tags)) FROM customers
SELECT (SELECT age + 1) FROM customers
SELECT (SELECT RANK() OVER (ORDER BY age)) FROM customers
WITH a AS (SELECT 1 AS x) SELECT a.a.x FROM a
WITH a AS (SELECT 1 AS x) SELECT a.x FROM a
WITH a AS (SELECT 1 AS x) SELECT b.x FROM a AS b
WITH a AS (SELECT 1 AS x) SELECT a.x FROM a AS b
WITH a AS (SELECT 1 AS x) SELECT a.y FROM a AS b
WITH m AS (SELECT order_id AS m FROM orders) SELECT m FROM m
WITH m AS (SELECT order_id AS m FROM orders) SELECT m + 1 FROM m
WITH m AS (SELECT order_id AS m, status FROM orders) SELECT m, COUNT(*) FROM m GROUP BY m
WITH m AS (SELECT order_id AS m, status FROM orders) SELECT m.m, COUNT(*) FROM m GROUP BY m.m
WITH m AS (SELECT order_id AS m, status FROM orders) SELECT SUM(m) FROM m
WITH m AS (SELECT order_id AS m, status FROM orders) SELECT x.m FROM m x
WITH m AS (SELECT order_id AS m, status FROM orders) SELECT m FROM m x
WITH m AS (SELECT order_id AS m, status FROM orders) SELECT m FROM m ORDER BY m
WITH m AS (SELECT order_id AS m, status FROM orders) SELECT status FROM m ORDER BY m
WITH m AS (SELECT order_id AS m, status FROM orders) SELECT status FROM m WHERE m > 1
SELECT sku FROM products sku
SELECT UPPER(sku) FROM products sku
SELECT name FROM customers name WHERE name = 'a'
SELECT age, age FROM customers ORDER BY age + 1
SELECT age, age, COUNT(*) FROM customers GROUP BY 1 ORDER BY MAX(age)
SELECT age, age, COUNT(*) FROM customers GROUP BY 1, customers.age HAVING MAX(age) > 1
SELECT name, name FROM customers GROUP BY customers.name HAVING name > 'a'
SELECT name, name FROM customers GROUP BY customers.name HAVING customers.name > 'a'
SELECT name, name FROM customers ORDER BY customers.name
SELECT name, name, RANK() OVER (ORDER BY age) AS r FROM customers QUALIFY r = 1
SELECT name, name, RANK() OVER (ORDER BY age) AS r FROM customers QUALIFY r = 1 AND name = 'a'
SELECT name AS age, UPPER(name) AS age FROM customers GROUP BY UPPER(age)
SELECT age, age FROM customers GROUP BY age + 1, customers.age
SELECT UPPER(name) AS n, UPPER(name) AS n FROM customers ORDER BY n
SELECT UPPER(name) AS n, UPPER(name) AS n FROM customers ORDER BY 1
SELECT UPPER(name) AS n, UPPER(name) AS n FROM customers WHERE n = 1
SELECT age, age FROM customers ORDER BY (SELECT age)
SELECT age, age FROM customers ORDER BY (SELECT MAX(o.amount) FROM orders o WHERE o.customer_id = age)
SELECT age, age FROM customers c1 QUALIFY ROW_NUMBER() OVER (PARTITION BY c1.name ORDER BY c1.age) = 1 ORDER BY name
SELECT address.city, address.city FROM customers ORDER BY city
SELECT address.city, address.city FROM customers ORDER BY address.city
SELECT c.*, c.name FROM customers c ORDER BY name
SELECT c.*, c.name FROM customers c ORDER BY c.name
SELECT c.*, o.* FROM customers c JOIN orders o ON c.customer_id = o.customer_id ORDER BY customer_id
SELECT c.*, o.* FROM customers c JOIN orders o ON c.customer_id = o.customer_id ORDER BY order_id
SELECT * FROM customers c JOIN orders o ON c.customer_id = o.customer_id ORDER BY customer_id
SELECT * FROM customers c JOIN orders o USING (customer_id) ORDER BY customer_id
SELECT *, customer_id FROM customers c JOIN orders o USING (customer_id) ORDER BY customer_id
SELECT c.customer_id, o.customer_id, order_id FROM customers c JOIN orders o USING (customer_id) ORDER BY customer_id
SELECT * EXCEPT (name), name FROM customers ORDER BY name
SELECT * REPLACE (age AS name), name FROM customers ORDER BY name
SELECT DISTINCT c.name, c.name FROM customers c ORDER BY c.name
SELECT name, name FROM customers UNION ALL SELECT 'a', 'b' ORDER BY name
SELECT age AS a, age + 1 AS a, 3 AS b FROM customers ORDER BY b
SELECT name AS `order`, name AS `ORDER` FROM customers ORDER BY `order`
WITH t AS (SELECT name, name FROM customers) SELECT name FROM t
WITH t AS (SELECT name, name FROM customers) SELECT * FROM t
WITH t AS (SELECT name, name FROM customers) SELECT * FROM t ORDER BY name
SELECT name, email AS name FROM customers GROUP BY ALL
SELECT name, name, COUNT(*) FROM customers GROUP BY ALL
SELECT name, name, COUNT(*) FROM customers GROUP BY ALL ORDER BY name
SELECT name, MAX(name) AS name FROM customers GROUP BY customers.name ORDER BY name
SELECT name, MAX(name) AS name FROM customers GROUP BY 1 ORDER BY 2
SELECT name, COUNT(*) AS n, COUNT(*) AS n FROM customers GROUP BY name ORDER BY n DESC
SELECT name, COUNT(*) AS n, COUNT(*) AS n FROM customers GROUP BY name HAVING n > 3
SELECT name, COUNT(*) AS n, SUM(age) AS n FROM customers GROUP BY name ORDER BY name
SELECT NULL + 1
SELECT age * NULL FROM customers
SELECT age / NULL FROM customers
SELECT age - NULL FROM customers
SELECT name || NULL FROM customers
SELECT NULL AND TRUE
SELECT NOT NULL
SELECT -NULL
SELECT age & NULL FROM customers
SELECT age << NULL FROM customers
SELECT name NOT LIKE NULL FROM customers
SELECT NULL IN (1, 2)
SELECT NULL IS NULL
SELECT NULL BETWEEN 1 AND 2
SELECT CASE age WHEN NULL THEN 1 END FROM customers
SELECT NULLIF(age, NULL) FROM customers
SELECT DATE '2024-01-01' + NULL
SELECT (NULL) = age FROM customers
SELECT age != NULL FROM customers
SELECT age FROM customers WHERE email = NULL
SELECT age = (SELECT NULL) FROM customers
SELECT age FROM customers c JOIN orders o ON c.customer_id = NULL
SELECT IF(age = NULL, 1, 2) FROM customers
UPDATE customers SET age = NULL WHERE age = NULL
SELECT age = COALESCE(NULL) FROM customers
SELECT age = IFNULL(NULL, NULL) FROM customers
SELECT ~NULL
SELECT name IN UNNEST(NULL) FROM customers
SELECT STRUCT(NULL) = STRUCT(1)
SELECT NULL LIKE 'a'
SELECT age = @p FROM customers
SELECT age ^ NULL FROM customers
SELECT age | NULL FROM customers
SELECT status, GROUPING(UPPER(status)) FROM orders GROUP BY ROLLUP(status)
SELECT UPPER(status), GROUPING(UPPER(status)) FROM orders GROUP BY ROLLUP(UPPER(status))
SELECT status, GROUPING(status) FROM orders GROUP BY status
SELECT status AS s, GROUPING(s) FROM orders GROUP BY ROLLUP(s)
SELECT UPPER(status) AS s, GROUPING(UPPER(status)) FROM orders GROUP BY ROLLUP(1)
SELECT status, GROUPING(1) FROM orders GROUP BY ROLLUP(status)
SELECT status, customer_id, GROUPING(customer_id) FROM orders GROUP BY GROUPING SETS ((status), (status, customer_id))
SELECT UPPER(status) AS s, GROUPING(UPPER(status)) FROM orders GROUP BY ROLLUP(s)
