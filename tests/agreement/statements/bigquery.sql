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
-- Analytics: nested columns, dates, windows, JSON, pivots, pipes.
SELECT c.customer_id, c.name, SUM(o.amount) AS revenue FROM customers c JOIN orders o ON c.customer_id = o.customer_id WHERE o.status = 'paid' GROUP BY c.customer_id, c.name ORDER BY revenue DESC LIMIT 10
SELECT DATE_TRUNC(order_date, MONTH) AS month, COUNT(*) AS n, SUM(amount) AS revenue FROM orders GROUP BY month ORDER BY month
WITH monthly AS (SELECT DATE_TRUNC(order_date, MONTH) AS m, SUM(amount) AS rev FROM orders GROUP BY 1) SELECT m, rev, LAG(rev) OVER (ORDER BY m) AS prev, SAFE_DIVIDE(rev - LAG(rev) OVER (ORDER BY m), LAG(rev) OVER (ORDER BY m)) AS growth FROM monthly
SELECT customer_id, order_id FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY order_ts DESC) = 1
SELECT * EXCEPT (rn) FROM (SELECT o.*, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY order_ts DESC) AS rn FROM orders o) WHERE rn = 1
SELECT p.category, APPROX_QUANTILES(i.price, 2)[OFFSET(1)] AS median_price FROM orders o, UNNEST(o.items) AS i JOIN products p ON i.sku = p.sku GROUP BY p.category
SELECT o.order_id, i.sku, i.qty * i.price AS line_total FROM orders o CROSS JOIN UNNEST(o.items) AS i
SELECT order_id, item.sku FROM orders LEFT JOIN UNNEST(items) AS item
SELECT order_id, i.sku, off FROM orders, UNNEST(items) AS i WITH OFFSET AS off WHERE off = 0
SELECT order_id, (SELECT SUM(i.qty * i.price) FROM UNNEST(items) AS i) AS total FROM orders
SELECT order_id, ARRAY(SELECT AS STRUCT i.sku, i.qty FROM UNNEST(items) i WHERE i.qty > 1) AS many FROM orders
SELECT order_id, EXISTS (SELECT 1 FROM UNNEST(items) i WHERE i.sku = 'A1') AS has_a1 FROM orders
SELECT order_id, items[OFFSET(0)].sku, items[SAFE_OFFSET(1)].qty, items[ORDINAL(1)].price, ARRAY_LENGTH(items) FROM orders
SELECT customer_id, address.city, address.geo.lat FROM customers WHERE address.country = 'DE'
SELECT address.country, COUNT(DISTINCT customer_id) AS n FROM customers GROUP BY address.country HAVING COUNT(DISTINCT customer_id) > 5
SELECT address.country AS country, COUNT(*) FROM customers GROUP BY country
SELECT tag, COUNT(*) FROM customers, UNNEST(tags) AS tag GROUP BY tag ORDER BY 2 DESC
SELECT name, ARRAY_TO_STRING(tags, ', ') AS t FROM customers WHERE 'vip' IN UNNEST(tags)
SELECT user_id, ARRAY_AGG(kind ORDER BY ts LIMIT 5) AS kinds FROM events GROUP BY user_id
SELECT user_id, ARRAY_AGG(DISTINCT kind IGNORE NULLS) FROM events GROUP BY user_id
SELECT user_id, STRING_AGG(kind, ',' ORDER BY ts) FROM events GROUP BY user_id
SELECT user_id, COUNTIF(kind = 'click') AS clicks, COUNT(*) AS n, COUNTIF(kind = 'click') / COUNT(*) AS rate FROM events GROUP BY user_id
SELECT DATE_DIFF(CURRENT_DATE(), signup_date, DAY) AS days FROM customers
SELECT DATE_ADD(signup_date, INTERVAL 3 MONTH), DATE_SUB(signup_date, INTERVAL 1 YEAR) FROM customers
SELECT EXTRACT(YEAR FROM order_ts) AS y, EXTRACT(MONTH FROM order_ts) AS m, SUM(amount) FROM orders GROUP BY y, m
SELECT EXTRACT(YEAR FROM order_ts) AS y, SUM(amount) FROM orders GROUP BY ROLLUP (y)
SELECT category, brand, SUM(price) FROM products GROUP BY GROUPING SETS (category, brand, ())
SELECT category, brand, SUM(price), GROUPING(category) FROM products GROUP BY CUBE (category, brand)
SELECT * FROM orders WHERE order_ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY)
SELECT * FROM orders WHERE order_date BETWEEN '2024-01-01' AND '2024-02-01'
SELECT * FROM orders WHERE DATE(order_ts) = DATE '2024-01-01'
SELECT name, CASE WHEN age < 18 THEN 'minor' WHEN age < 65 THEN 'adult' ELSE 'senior' END AS grp FROM customers
SELECT CASE WHEN age < 18 THEN 'minor' ELSE 'adult' END AS grp, COUNT(*) FROM customers GROUP BY grp
SELECT IF(age < 18, 'minor', 'adult') AS grp, COUNT(*) AS n FROM customers GROUP BY 1 ORDER BY n
SELECT c.name FROM customers c LEFT JOIN orders o ON c.customer_id = o.customer_id WHERE o.order_id IS NULL
SELECT c.name, (SELECT MAX(o.amount) FROM orders o WHERE o.customer_id = c.customer_id) AS biggest FROM customers c
SELECT name FROM customers WHERE customer_id IN (SELECT customer_id FROM orders WHERE amount > 1000)
SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)
SELECT name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)
SELECT JSON_VALUE(payload, '$.page.url') AS url, JSON_QUERY(payload, '$.page') FROM events
SELECT payload.page.url, LAX_STRING(payload.page.url), INT64(payload.n), payload['page'] FROM events
SELECT JSON_EXTRACT_SCALAR(raw, '$.a') AS a, PARSE_JSON(raw).b FROM events
SELECT PARSE_DATE('%Y-%m-%d', raw), PARSE_TIMESTAMP('%Y', raw), FORMAT_DATE('%Y-%m', event_date), FORMAT_TIMESTAMP('%H', ts) FROM events
SELECT FORMAT_DATE('%Y-%m', order_date) AS ym, SUM(amount) AS s FROM orders GROUP BY ym
SELECT * FROM (SELECT category, price FROM products) PIVOT (AVG(price) FOR category IN ('a', 'b', 'c'))
SELECT * FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(amount) AS s FOR status IN ('paid' AS paid, 'open' AS open))
SELECT customer_id, s_paid FROM (SELECT customer_id, status, amount FROM orders) PIVOT (SUM(amount) AS s FOR status IN ('paid', 'open'))
SELECT sku, attr, val FROM products UNPIVOT (val FOR attr IN (category, brand))
SELECT customer_id FROM orders UNION DISTINCT SELECT customer_id FROM customers
SELECT customer_id, amount FROM orders UNION ALL SELECT customer_id, age FROM customers
SELECT customer_id FROM orders INTERSECT DISTINCT SELECT customer_id FROM customers
SELECT customer_id FROM orders EXCEPT DISTINCT SELECT customer_id FROM customers
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t
WITH a AS (SELECT customer_id, SUM(amount) AS s FROM orders GROUP BY customer_id), b AS (SELECT customer_id, s, NTILE(4) OVER (ORDER BY s) AS q FROM a) SELECT q, AVG(s) FROM b GROUP BY q
SELECT customer_id, AVG(amount) OVER (PARTITION BY customer_id ORDER BY order_ts ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS ma FROM orders
SELECT customer_id, SUM(amount) OVER w AS running FROM orders WINDOW w AS (PARTITION BY customer_id ORDER BY order_ts)
SELECT customer_id, SUM(amount) OVER (ORDER BY UNIX_DATE(order_date) RANGE BETWEEN 6 PRECEDING AND CURRENT ROW) FROM orders
SELECT FIRST_VALUE(kind) OVER (PARTITION BY user_id ORDER BY ts), LAST_VALUE(kind IGNORE NULLS) OVER (PARTITION BY user_id ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM events
SELECT user_id, TIMESTAMP_DIFF(ts, LAG(ts) OVER (PARTITION BY user_id ORDER BY ts), SECOND) AS gap FROM events
SELECT COALESCE(email, 'n/a') AS email, IFNULL(age, 0), NULLIF(name, '') FROM customers
SELECT CONCAT(name, ' ', email), UPPER(name), INITCAP(name), LENGTH(email), SUBSTR(name, 1, 3), SPLIT(email, '@')[OFFSET(1)] AS domain FROM customers
SELECT SPLIT(email, '@')[SAFE_OFFSET(1)] AS domain, COUNT(*) AS n FROM customers GROUP BY domain ORDER BY n DESC
SELECT REGEXP_EXTRACT(email, r'@(.+)$') AS domain FROM customers WHERE REGEXP_CONTAINS(email, r'@')
SELECT ROUND(AVG(amount), 2), STDDEV(amount), CORR(amount, customer_id), PERCENTILE_CONT(amount, 0.9) OVER () FROM orders
SELECT DISTINCT PERCENTILE_CONT(amount, 0.5) OVER (PARTITION BY status) AS med, status FROM orders
SELECT APPROX_COUNT_DISTINCT(user_id), APPROX_TOP_COUNT(kind, 3) FROM events WHERE event_date = DATE_SUB(CURRENT_DATE(), INTERVAL 1 DAY)
SELECT STRUCT(name, age) AS s, STRUCT(1 AS a, name AS b).b FROM customers
SELECT s.name FROM (SELECT STRUCT(name, age) AS s FROM customers)
SELECT AS STRUCT name, age FROM customers
SELECT AS VALUE STRUCT(name, age) FROM customers
SELECT d, COUNT(o.order_id) AS n FROM UNNEST(GENERATE_DATE_ARRAY('2024-01-01', '2024-01-31')) AS d LEFT JOIN orders o ON o.order_date = d GROUP BY d ORDER BY d
SELECT n FROM UNNEST(GENERATE_ARRAY(1, 10)) AS n WHERE MOD(n, 2) = 0
SELECT SAFE_CAST(name AS INT64), SAFE_DIVIDE(amount, 0), CAST(amount AS STRING) FROM customers CROSS JOIN orders
SELECT COUNT(*) AS total, COUNT(email) AS with_email, SUM(IF(email IS NULL, 1, 0)) AS missing FROM customers
SELECT customer_id, DENSE_RANK() OVER (ORDER BY SUM(amount) DESC) AS rnk FROM orders GROUP BY customer_id
SELECT a.customer_id, b.customer_id FROM customers a JOIN customers b ON a.email = b.email AND a.customer_id < b.customer_id
SELECT * FROM customers JOIN orders USING (customer_id)
SELECT customer_id, name, amount FROM customers JOIN orders USING (customer_id)
SELECT event_date, SUM(COUNT(*)) OVER (ORDER BY event_date) AS cum FROM events GROUP BY event_date
FROM orders |> WHERE amount > 10 |> AGGREGATE SUM(amount) AS s GROUP BY customer_id |> ORDER BY s DESC |> LIMIT 5
FROM customers |> EXTEND age * 2 AS dbl |> SELECT name, dbl |> WHERE dbl > 10
SELECT LOGICAL_AND(age > 18), LOGICAL_OR(age > 1), BIT_AND(age) FROM customers
SELECT ARRAY_CONCAT(tags, ['a']), ARRAY_REVERSE(tags), ARRAY_FIRST(tags), ARRAY_LAST(tags), tags[0] FROM customers
SELECT name, RANK() OVER (PARTITION BY address.country ORDER BY age DESC) AS r FROM customers ORDER BY r, name
SELECT kind, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS pct FROM events GROUP BY kind
SELECT * REPLACE (UPPER(name) AS name) FROM customers
SELECT DATETIME(order_ts, 'Europe/Berlin'), TIMESTAMP(order_date), DATE(order_ts, 'UTC'), TIMESTAMP_TRUNC(order_ts, HOUR), UNIX_SECONDS(order_ts) FROM orders
SELECT FARM_FINGERPRINT(email), TO_HEX(MD5(email)), SHA256(email), GENERATE_UUID(), TO_BASE64(SHA1(email)) FROM customers
SELECT d.y, d.total FROM (SELECT EXTRACT(YEAR FROM order_ts) y, SUM(amount) total FROM orders GROUP BY y) d WHERE d.total > (SELECT AVG(amount) FROM orders)
SELECT HLL_COUNT.EXTRACT(HLL_COUNT.INIT(user_id)) FROM events
SELECT o.order_id, p.brand FROM orders o JOIN products p ON p.sku = o.items[OFFSET(0)].sku
SELECT DATE_TRUNC(order_date, WEEK(MONDAY)) AS wk, COUNT(DISTINCT customer_id) AS actives FROM orders GROUP BY wk HAVING actives > 10
SELECT order_date, amount, amount - AVG(amount) OVER (PARTITION BY DATE_TRUNC(order_date, MONTH)) AS diff FROM orders
SELECT status, COUNT(*) FROM orders GROUP BY ALL
SELECT name, LEAST(age, 5), GREATEST(age, 1), SIGN(age), TRUNC(age / 3), DIV(age, 2), MOD(age, 2), POW(age, 2) FROM customers
WITH ranked AS (SELECT customer_id, amount, RANK() OVER (PARTITION BY customer_id ORDER BY amount DESC) r FROM orders) SELECT customer_id, amount FROM ranked WHERE r <= 3
SELECT t.customer_id, t.total FROM (SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id) AS t JOIN customers AS c ON c.customer_id = t.customer_id WHERE c.age > 30
SELECT * EXCEPT (customers.email) FROM customers
SELECT c.* EXCEPT (c.email) FROM customers c
SELECT c.* EXCEPT (email, name) FROM customers c
SELECT * EXCEPT (email = 'a') FROM customers
SELECT MAX(age IGNORE NULLS) FROM customers
SELECT LAST_VALUE(kind IGNORE NULLS) OVER (ORDER BY ts), LAG(kind IGNORE NULLS) OVER (ORDER BY ts) FROM events
SELECT SUM(age) IGNORE NULLS FROM customers
