-- Written from the documentation of Spark SQL before the rules were read.
SELECT c.country, COUNT(*) AS n FROM customers c GROUP BY c.country ORDER BY n DESC LIMIT 10
SELECT c.name, o.total FROM customers c JOIN orders o ON c.customer_id = o.customer_id WHERE o.status = 'shipped'
SELECT o.order_id, i.sku, i.quantity * i.price AS line_total FROM orders o LATERAL VIEW EXPLODE(o.items) t AS i
SELECT o.order_id, item.sku FROM orders o LATERAL VIEW OUTER explode(items) AS item WHERE item.price > 10
SELECT order_id, pos, item.sku FROM orders LATERAL VIEW posexplode(items) e AS pos, item
SELECT name, address.city, address.geo.lat FROM customers WHERE address.zip LIKE '9%'
SELECT name, preferences['language'] AS lang FROM customers
SELECT name, tags[0] FROM customers WHERE size(tags) > 0
SELECT name FROM customers WHERE array_contains(tags, 'vip')
SELECT transform(items, x -> x.price * x.quantity) AS line_totals FROM orders
SELECT order_id, aggregate(transform(items, i -> CAST(i.price AS DOUBLE) * i.quantity), 0D, (acc, x) -> acc + x) AS s FROM orders
SELECT order_id, filter(items, i -> i.quantity > 1) AS multi FROM orders
SELECT order_id FROM orders WHERE exists(items, i -> i.sku = 'A-1')
SELECT map_keys(attributes), map_values(attributes) FROM products
SELECT sku, key, value FROM products LATERAL VIEW explode(attributes) a AS key, value
SELECT date_trunc('month', ordered_at) AS m, sum(total) FROM orders GROUP BY date_trunc('month', ordered_at)
SELECT date_trunc('month', ordered_at) AS m, sum(total) FROM orders GROUP BY m ORDER BY m
SELECT datediff(ship_date, to_date(ordered_at)) AS days FROM orders
SELECT months_between(current_date(), signup_date) FROM customers
SELECT date_add(ship_date, 7), date_sub(ship_date, 7), add_months(ship_date, 1) FROM orders
SELECT ordered_at + INTERVAL 1 DAY, ordered_at - INTERVAL '2' HOUR FROM orders
SELECT year(ordered_at) y, month(ordered_at) m, count(DISTINCT customer_id) FROM orders GROUP BY 1, 2
SELECT EXTRACT(YEAR FROM ordered_at) AS y, COUNT(*) FROM orders GROUP BY EXTRACT(YEAR FROM ordered_at)
SELECT unix_timestamp(ordered_at), from_unixtime(unix_timestamp(ordered_at), 'yyyy-MM-dd') FROM orders
SELECT date_format(ordered_at, 'yyyy-MM') AS ym, avg(total) FROM orders GROUP BY date_format(ordered_at, 'yyyy-MM')
SELECT to_timestamp(payload, 'yyyy-MM-dd HH:mm:ss') FROM events
SELECT get_json_object(payload, '$.user.id') AS uid FROM events
SELECT from_json(payload, 'user STRUCT<id: BIGINT, name: STRING>, ts TIMESTAMP').user.name FROM events
SELECT j.a, j.b FROM events LATERAL VIEW json_tuple(payload, 'a', 'b') j AS a, b
SELECT e.user_id, count_if(e.event_type = 'click') AS clicks FROM events e GROUP BY e.user_id
SELECT dept, name, salary, RANK() OVER (PARTITION BY dept ORDER BY salary DESC) AS r FROM employees
SELECT * FROM (SELECT e.*, ROW_NUMBER() OVER (PARTITION BY dept ORDER BY hired) AS rn FROM employees e) t WHERE rn = 1
SELECT emp_id, salary - LAG(salary, 1) OVER (PARTITION BY dept ORDER BY hired) AS diff FROM employees
SELECT emp_id, LEAD(name, 1, 'none') OVER (ORDER BY emp_id) FROM employees
SELECT name, SUM(salary) OVER (PARTITION BY dept ORDER BY hired ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM employees
SELECT sku, SUM(on_hand) OVER (PARTITION BY warehouse ORDER BY counted_at RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND CURRENT ROW) FROM inventory
WITH recent AS (SELECT * FROM orders WHERE ordered_at >= current_date() - INTERVAL 30 DAYS) SELECT customer_id, SUM(total) FROM recent GROUP BY customer_id HAVING SUM(total) > 100
WITH t AS (SELECT customer_id, MAX(ordered_at) AS last_order FROM orders GROUP BY customer_id) SELECT c.name, t.last_order FROM customers c LEFT JOIN t USING (customer_id)
SELECT country, collect_set(name) AS names, collect_list(email) FROM customers GROUP BY country
SELECT country, concat_ws(', ', collect_list(name)) FROM customers GROUP BY country
SELECT country, listagg(name, ', ') WITHIN GROUP (ORDER BY name) FROM customers GROUP BY country
SELECT percentile_approx(total, 0.5), percentile(total, 0.9) FROM orders
SELECT percentile_approx(total, array(0.25, 0.5, 0.75)) AS q FROM orders
SELECT approx_count_distinct(customer_id) FROM orders
SELECT status, total FROM orders WHERE total BETWEEN 10 AND 20 AND status IN ('new', 'paid')
SELECT * FROM orders WHERE payment.method = 'card' AND payment.installments > 3
SELECT payment.* FROM orders
SELECT nvl(name, 'unknown'), coalesce(email, name, 'x'), ifnull(country, '-') FROM customers
SELECT if(is_gift, 'gift', 'normal') AS kind, count(1) FROM orders GROUP BY if(is_gift, 'gift', 'normal')
SELECT CASE WHEN total > 100 THEN 'big' WHEN total > 50 THEN 'mid' ELSE 'small' END AS bucket, COUNT(*) FROM orders GROUP BY 1
SELECT name FROM customers WHERE name RLIKE '^A.*' OR email LIKE '%@example.com'
SELECT regexp_extract(email, '@(.*)$', 1) AS domain, count(*) FROM customers GROUP BY regexp_extract(email, '@(.*)$', 1)
SELECT split(email, '@')[1] AS domain FROM customers
SELECT upper(name), length(trim(name)), substring(name, 1, 3), initcap(name) FROM customers
SELECT explode(split(dt, '-')) AS part FROM events
SELECT customer_id, explode(tags) AS tag FROM customers
SELECT posexplode(tags) AS (pos, tag) FROM customers
SELECT stack(2, 'a', 1, 'b', 2) AS (k, v)
SELECT inline(items) FROM orders
SELECT * FROM orders PIVOT (SUM(total) FOR status IN ('new' AS new_orders, 'paid' AS paid_orders))
SELECT * FROM (SELECT dept, salary, year(hired) AS y FROM employees) PIVOT (avg(salary) FOR y IN (2020, 2021, 2022))
SELECT warehouse, sku, metric, v FROM inventory UNPIVOT (v FOR metric IN (on_hand))
SELECT c.name FROM customers c LEFT SEMI JOIN orders o ON c.customer_id = o.customer_id
SELECT c.name FROM customers c LEFT ANTI JOIN orders o ON c.customer_id = o.customer_id
SELECT c.name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)
SELECT name FROM customers WHERE customer_id IN (SELECT customer_id FROM orders WHERE total > 1000)
SELECT name, (SELECT MAX(total) FROM orders o WHERE o.customer_id = c.customer_id) AS best FROM customers c
SELECT p.title, COALESCE(SUM(i.on_hand), 0) AS stock FROM products p LEFT JOIN inventory i ON p.sku = i.sku GROUP BY p.title
SELECT dept, COUNT(*) FROM employees GROUP BY ROLLUP (dept)
SELECT dept, year(hired), SUM(salary), grouping_id() FROM employees GROUP BY dept, year(hired) WITH CUBE
SELECT dept, manager_id, SUM(salary) FROM employees GROUP BY GROUPING SETS ((dept), (manager_id), ())
SELECT country, count(*) FROM customers GROUP BY ALL ORDER BY ALL
SELECT window(event_time, '10 minutes') AS w, count(*) FROM events GROUP BY window(event_time, '10 minutes')
SELECT w.start, w.end, n FROM (SELECT window(event_time, '1 hour') AS w, count(*) AS n FROM events GROUP BY window(event_time, '1 hour'))
SELECT named_struct('id', customer_id, 'n', name).n FROM customers
SELECT struct(customer_id, name) AS s FROM customers
SELECT s.name FROM (SELECT struct(customer_id, name) AS s FROM customers)
SELECT map('a', 1, 'b', 2)['a']
SELECT map_from_arrays(array('x', 'y'), array(1, 2)) AS m
SELECT to_json(named_struct('a', 1)), to_json(items) FROM orders
SELECT sequence(DATE '2024-01-01', DATE '2024-01-31', INTERVAL 1 DAY) AS days
SELECT explode(sequence(1, 10)) AS n
SELECT d FROM (SELECT explode(sequence(to_date('2024-01-01'), to_date('2024-12-01'), interval 1 month)) AS d)
SELECT sort_array(collect_list(salary), false)[0] FROM employees
SELECT array_join(array_sort(tags), ',') FROM customers
SELECT cardinality(tags), element_at(tags, -1), array_distinct(tags), array_union(tags, array('a')) FROM customers
SELECT arrays_zip(tags, tags) FROM customers
SELECT flatten(collect_list(tags)) FROM customers
SELECT transform_values(preferences, (k, v) -> upper(v)), map_filter(props, (k, v) -> v > 1.0) FROM customers CROSS JOIN events
SELECT zip_with(array(1, 2), array(3, 4), (x, y) -> x + y)
SELECT * FROM range(1, 10) WHERE id % 2 = 0
SELECT id, id * 2 AS d FROM range(5)
SELECT col1, col2 FROM VALUES (1, 'a'), (2, 'b')
SELECT * FROM VALUES (1, 'a'), (2, 'b') AS t(id, label) WHERE t.id > 1
SELECT TRY_CAST(dt AS DATE), try_divide(1, 0), try_to_number(payload, '999') FROM events
SELECT CAST(total AS STRING) || ' EUR' FROM orders
SELECT total::int, ordered_at::date FROM orders
SELECT max_by(name, salary), min_by(name, hired) FROM employees
SELECT first(name), last(name, true), any_value(dept) FROM employees
SELECT dept, avg(salary) FILTER (WHERE hired > DATE '2020-01-01') FROM employees GROUP BY dept
SELECT e.name, m.name AS manager FROM employees e LEFT JOIN employees m ON e.manager_id = m.emp_id
SELECT dept, stddev(salary), variance(salary), corr(salary, emp_id) FROM employees GROUP BY dept
SELECT * EXCEPT (payload) FROM events
SELECT name, salary, NTILE(4) OVER (ORDER BY salary) FROM employees
SELECT name FROM employees ORDER BY salary DESC NULLS LAST LIMIT 5 OFFSET 5
SELECT name FROM customers UNION ALL SELECT name FROM employees
SELECT customer_id FROM customers EXCEPT SELECT customer_id FROM orders
SELECT customer_id FROM customers INTERSECT SELECT customer_id FROM orders
SELECT sku FROM products TABLESAMPLE (10 PERCENT)
SELECT /*+ BROADCAST(c) */ c.name, o.total FROM customers c JOIN orders o ON c.customer_id = o.customer_id
SELECT dept, name FROM employees QUALIFY ROW_NUMBER() OVER (PARTITION BY dept ORDER BY salary DESC) = 1
SELECT sum(total) AS revenue, revenue / count(*) AS mean FROM orders
SELECT o.order_id, u.sku FROM orders o, LATERAL explode(o.items) AS u(item), LATERAL (SELECT u.item.sku AS sku)
SELECT crc32(name), md5(email), sha2(email, 256), hash(name) FROM customers
SELECT reverse(name), repeat('-', 3), lpad(name, 10, ' '), rpad(name, 10, '*'), instr(name, 'a'), locate('a', name) FROM customers
SELECT round(price, 1), floor(price), ceil(weight), abs(price), pow(weight, 2), sqrt(weight), mod(3, 2) FROM products
SELECT greatest(price, 10), least(weight, 1.5) FROM products
SELECT last_day(ship_date), next_day(ship_date, 'MON'), trunc(ship_date, 'MM'), dayofweek(ship_date), weekofyear(ship_date) FROM orders
SELECT make_date(2024, 1, 15), current_timestamp(), now() - INTERVAL 3 MONTHS
SELECT timestampdiff(HOUR, ordered_at, current_timestamp()) FROM orders
SELECT dateadd(DAY, 3, ship_date), datediff(DAY, ship_date, current_date()) FROM orders
SELECT c.nme, o.total FROM customers c JOIN orders o ON c.customer_id = o.customer_id
SELECT c.name, o.amount FROM customers c JOIN orders o ON c.customer_id = o.customer_id
SELECT name FROM clients
SELECT o.order_id FROM order o
SELECT name, address.town FROM customers
SELECT address.geo.latitude FROM customers
SELECT payment.kind FROM orders
SELECT o.order_id, i.unit_price FROM orders o LATERAL VIEW explode(o.items) t AS i
SELECT transform(items, x -> x.cost) FROM orders
SELECT filter(items, i -> i.qty > 1) FROM orders
SELECT s.email FROM (SELECT struct(customer_id, name) AS s FROM customers)
SELECT customers.total FROM customers JOIN orders ON customers.customer_id = orders.customer_id
SELECT o.name FROM customers c JOIN orders o ON c.customer_id = o.customer_id
SELECT e.title FROM employees e JOIN products p ON e.name = p.title
SELECT x.name FROM customers c
SELECT name FROM customers c JOIN employees e ON c.name = e.name
SELECT customer_id FROM customers c JOIN orders o ON c.customer_id = o.customer_id
SELECT c.country, c.name, COUNT(*) FROM customers c GROUP BY c.country
SELECT dept, name, MAX(salary) FROM employees GROUP BY dept
SELECT dept, salary FROM employees GROUP BY dept HAVING COUNT(*) > 1
SELECT country FROM customers GROUP BY country HAVING signup_date > DATE '2024-01-01'
SELECT COUNT(*), dept FROM employees
SELECT dept FROM employees WHERE COUNT(*) > 3 GROUP BY dept
SELECT order_id, SUM(total) OVER (PARTITION BY customer_id) FROM orders WHERE SUM(total) OVER (PARTITION BY customer_id) > 5
SELECT date_trunc('month', ordered_at), status, SUM(total) FROM orders GROUP BY date_trunc('month', ordered_at)
SELECT DATE_PART('year') FROM orders
SELECT date_add(ship_date) FROM orders
SELECT substring(name) FROM customers
SELECT concat_ws() FROM customers
SELECT round(total, 2, 1) FROM orders
SELECT upper(name, 'x') FROM customers
SELECT coalesce() FROM customers
SELECT nvl(name) FROM customers
SELECT datediff(ship_date) FROM orders
SELECT lag() OVER (ORDER BY emp_id) + 1 FROM employees
SELECT regexp_replace(name, 'a') FROM customers
SELECT to_date(name, 'yyyy', 'x') FROM customers
SELECT array_contains(tags) FROM customers
SELECT element_at(tags) FROM customers
SELECT months_between(signup_date) FROM customers
SELECT strftime('%Y', ordered_at) FROM orders
SELECT GETDATE()
SELECT GROUP_CONCAT(name) FROM customers
SELECT STRING_SPLIT(name, ',') FROM customers
SELECT TO_CHAR_FORMAT(total) FROM orders
SELECT DATE_FORMATT(ordered_at, 'yyyy') FROM orders
SELECT ARRAY_LENGTH(tags) FROM customers
SELECT SAFE_DIVIDE(1, 0)
SELECT JSON_VALUE(payload, '$.a') FROM events
SELECT JSON_EXTRACT(payload, '$.a') FROM events
SELECT ISNULL(name, 'x') FROM customers
SELECT CONVERT(VARCHAR, total) FROM orders
SELECT TO_VARIANT(payload) FROM events
SELECT GENERATE_SERIES(1, 10)
SELECT IIF(is_gift, 1, 0) FROM orders
SELECT STRPOS(name, 'a') FROM customers
SELECT DATETIME(ordered_at) FROM orders
SELECT ordered_at + 1 FROM orders
SELECT total + ordered_at FROM orders
SELECT is_gift + 1 FROM orders
SELECT SUM(name), SUM(is_gift) FROM customers CROSS JOIN orders
SELECT AVG(ship_date) FROM orders
SELECT SUM(tags) FROM customers
SELECT ship_date - INTERVAL 1 DAY > 5 FROM orders
SELECT * FROM orders WHERE total
SELECT * FROM orders WHERE status AND is_gift
SELECT * FROM orders WHERE ordered_at > 20240101
SELECT * FROM orders WHERE ship_date = 2024
SELECT * FROM orders WHERE is_gift = 'yes' AND items = 'A'
SELECT * FROM orders WHERE items > 3
SELECT * FROM orders WHERE payment = 'card'
SELECT * FROM customers WHERE tags = 'vip'
SELECT * FROM customers WHERE 'vip' IN (tags)
SELECT * FROM customers WHERE tags LIKE '%vip%'
SELECT explode(name) FROM customers
SELECT size(name) FROM customers
SELECT upper(tags) FROM customers
SELECT array_contains(tags, 1) FROM customers
SELECT items.sku, explode(payment) FROM orders
SELECT transform(name, x -> x) FROM customers
SELECT filter(tags, t -> upper(t)) FROM customers
SELECT aggregate(items, 0, (acc, x) -> acc + x.quantity) FROM orders
SELECT aggregate(items, 0, (acc, x) -> acc + x.price) FROM orders
SELECT map_keys(tags) FROM customers
SELECT element_at(preferences, 1) FROM customers
SELECT CAST(ship_date AS INT) FROM orders
SELECT CAST(items AS INT) FROM orders
SELECT CAST(total AS DATE) FROM orders
SELECT CASE WHEN total > 5 THEN 'x' ELSE ship_date END, CASE WHEN is_gift THEN 1 ELSE true END FROM orders
SELECT coalesce(total, is_gift) FROM orders
SELECT nvl(ship_date, 0) FROM orders
SELECT if(total, 1, 2) FROM orders
SELECT total FROM orders UNION SELECT items FROM orders
SELECT order_id, status FROM orders UNION ALL SELECT customer_id FROM customers
SELECT order_id FROM orders WHERE customer_id IN (SELECT customer_id, name FROM customers)
SELECT (SELECT customer_id, name FROM customers LIMIT 1)
SELECT month(total) FROM orders
SELECT date_add(ship_date, 'week') FROM orders
SELECT date_add(total, 3) FROM orders
SELECT datediff(total, 1) FROM orders
SELECT date_format(salary, 'yyyy') FROM employees
SELECT year(salary) FROM employees
SELECT concat(tags, name) FROM customers
SELECT round(name), round(ship_date) FROM customers CROSS JOIN orders
SELECT percentile_approx(name, 0.5), percentile_approx(is_gift, 0.5) FROM customers CROSS JOIN orders
SELECT max(preferences) FROM customers
SELECT * FROM customers ORDER BY preferences
SELECT DISTINCT preferences FROM customers
SELECT preferences, count(*) FROM customers GROUP BY preferences
SELECT c.name FROM customers c JOIN orders o ON c.name
SELECT c.name FROM customers c JOIN orders o USING (order_id)
SELECT DISTINCT country FROM customers ORDER BY signup_date
SELECT name FROM employees ORDER BY 3
SELECT name FROM employees GROUP BY 4
SELECT sum(max(salary)) FROM employees
SELECT name FROM employees HAVING salary > 10
SELECT dept FROM employees WHERE rn = 1 AND row_number() OVER (ORDER BY salary) = 1
SELECT name, total_salary * 2 FROM (SELECT name, SUM(salary) AS total_pay FROM employees GROUP BY name)
SELECT * FROM (SELECT dept, AVG(salary) AS a FROM employees GROUP BY dept) x WHERE x.avg_salary > 10
WITH t AS (SELECT customer_id FROM orders) SELECT t.total FROM t
WITH t AS (SELECT customer_id FROM orders) SELECT * FROM tt
SELECT * FROM sales.orders
SELECT * FROM main.shop.orders
SELECT default.orders.order_id FROM default.orders
SELECT * FROM spark_catalog.default.orders
SELECT TOP 5 name FROM customers
SELECT name FROM customers LIMIT 5, 10
SELECT name FROM customers WHERE name ILIKE 'a%' FETCH FIRST 5 ROWS ONLY
SELECT "name" FROM customers
SELECT [name] FROM customers
SELECT name FROM customers WHERE name = "Bob"
SELECT name FROM customers FULL OUTER JOIN orders ON customers.customer_id = orders.customer_id AND orders.foo = 1
SELECT a, b FROM VALUES (1, 'x'), (2, 'y') AS t(a, b) WHERE a BETWEEN 1 AND 2
SELECT * FROM VALUES (1, 'x'), (2, 'y', 3) AS t(a, b)
SELECT * FROM VALUES (1, 'x'), (2, 'y') AS t(a, b, c)
SELECT name, address.geo.lat, tags[0], preferences['lang'] FROM customers
SELECT name, address.geo.altitude FROM customers
SELECT tags['x'] FROM customers
SELECT preferences.lang, preferences.theme FROM customers
SELECT items.sku, items[0].price, element_at(items, 1).quantity FROM orders
SELECT items.weight FROM orders
SELECT order_id, item.* FROM orders LATERAL VIEW explode(items) x AS item
SELECT order_id, item.sku FROM orders LATERAL VIEW OUTER explode(items) x AS item WHERE item.quantity > 2
SELECT order_id, pos, item.sku FROM orders LATERAL VIEW posexplode(items) x AS pos, item
SELECT order_id, pos, item FROM orders LATERAL VIEW posexplode(items) x AS item
SELECT customer_id, k, v FROM customers LATERAL VIEW explode(preferences) AS k, v
SELECT c.name, t.tag FROM customers c, LATERAL explode(c.tags) AS t(tag)
SELECT c.name, t.col FROM customers c CROSS JOIN LATERAL explode(c.tags) AS t
SELECT c.name, o.total FROM customers c, LATERAL (SELECT total FROM orders o WHERE o.customer_id = c.customer_id ORDER BY total DESC LIMIT 1) o
SELECT c.name, o.total FROM customers c, (SELECT total FROM orders o WHERE o.customer_id = c.customer_id) o
SELECT explode(tags), name FROM customers
SELECT explode(tags), explode(map_keys(preferences)) FROM customers
SELECT explode(tags) + 1 FROM customers
SELECT order_id, inline(items) AS (s, q, p) FROM orders
SELECT order_id, inline(items) AS (s, q) FROM orders
SELECT stack(2, 'w', weight, 'p', CAST(price AS DOUBLE)) AS (label, value) FROM products
SELECT stack(2, 1, 'a', 2, 'b')
SELECT stack(2, 1, 'a', 'b', 2)
SELECT transform(tags, t -> upper(t)), filter(items, i -> i.quantity > 1) FROM customers JOIN orders USING (customer_id)
SELECT transform(tags, (t, i) -> concat(t, i)) FROM customers
SELECT transform(tags, (t, i, j) -> t) FROM customers
SELECT filter(tags, t -> length(t)) FROM customers
SELECT exists(tags, t -> t = 'vip'), forall(tags, t -> t IS NOT NULL) FROM customers
SELECT aggregate(tags, 0, (acc, t) -> acc + length(t)) FROM customers
SELECT aggregate(tags, '', (acc, t) -> concat(acc, t), acc -> upper(acc)) FROM customers
SELECT aggregate(tags, 0, (acc, t) -> concat(acc, t)) FROM customers
SELECT reduce(items, CAST(0 AS DECIMAL(10,2)), (acc, i) -> CAST(acc + i.price AS DECIMAL(10,2))) FROM orders
SELECT reduce(items, 0.0D, (acc, i) -> acc + i.price * i.quantity) FROM orders
SELECT zip_with(tags, map_keys(preferences), (a, b) -> concat_ws('=', a, b)) FROM customers
SELECT map_filter(props, (k, v) -> v > 1.5), transform_values(props, (k, v) -> v * 2) FROM events
SELECT transform_keys(preferences, (k, v) -> k || '_x') FROM customers
SELECT map_zip_with(preferences, preferences, (k, a, b) -> concat(a, b)) FROM customers
SELECT array_sort(tags, (l, r) -> CASE WHEN l < r THEN -1 WHEN l > r THEN 1 ELSE 0 END) FROM customers
SELECT array_sort(tags, (l, r) -> l < r) FROM customers
SELECT status, count(*) FILTER (WHERE total > 100) AS big FROM orders GROUP BY status
SELECT status, count(*) FILTER (WHERE sum(total) > 100) AS big FROM orders GROUP BY status
SELECT country, count(*) FROM customers GROUP BY country HAVING count(*) > 1 ORDER BY count(*) DESC
SELECT country, name, count(*) FROM customers GROUP BY country
SELECT country, count(*) FROM customers GROUP BY ALL
SELECT country, year(signup_date) y, count(*) FROM customers GROUP BY country, y
SELECT country, signup_date FROM customers GROUP BY country, year(signup_date)
SELECT dept, manager_id, sum(salary) FROM employees GROUP BY GROUPING SETS ((dept, manager_id), (dept), ())
SELECT dept, manager_id, sum(salary), grouping_id() FROM employees GROUP BY dept, manager_id WITH ROLLUP
SELECT dept, grouping(dept), sum(salary) FROM employees GROUP BY CUBE (dept, manager_id)
SELECT dept, grouping(name), sum(salary) FROM employees GROUP BY CUBE (dept, manager_id)
SELECT dept, grouping(dept) FROM employees GROUP BY dept
SELECT dept, any_value(name), max_by(name, salary), first(name) FROM employees GROUP BY dept
SELECT dept, percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) FROM employees GROUP BY dept
SELECT dept, percentile_cont(salary, 0.5) FROM employees GROUP BY dept
SELECT dept, listagg(name, ', ') WITHIN GROUP (ORDER BY name) FROM employees GROUP BY dept
SELECT dept, string_agg(DISTINCT name) FROM employees GROUP BY dept
SELECT dept, mode() WITHIN GROUP (ORDER BY salary) FROM employees GROUP BY dept
SELECT count_if(is_gift), bool_or(is_gift), every(is_gift) FROM orders
SELECT count_if(total) FROM orders
SELECT bool_and(status) FROM orders
SELECT emp_id, lag(salary, 1, 0) OVER (PARTITION BY dept ORDER BY hired) FROM employees
SELECT emp_id, lag(salary) FROM employees
SELECT emp_id, rank() OVER (PARTITION BY dept) FROM employees
SELECT emp_id, sum(salary) OVER (ORDER BY hired RANGE BETWEEN INTERVAL '7' DAY PRECEDING AND CURRENT ROW) FROM employees
SELECT emp_id, sum(salary) OVER (ORDER BY name RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM employees
SELECT emp_id, sum(salary) OVER w, avg(salary) OVER w FROM employees WINDOW w AS (PARTITION BY dept ORDER BY hired ROWS UNBOUNDED PRECEDING)
SELECT emp_id, sum(salary) OVER v FROM employees WINDOW w AS (PARTITION BY dept)
SELECT emp_id, nth_value(name, 2) IGNORE NULLS OVER (PARTITION BY dept ORDER BY salary) FROM employees
SELECT emp_id, ntile(4) OVER (ORDER BY salary), cume_dist() OVER (ORDER BY salary) FROM employees
SELECT emp_id, ntile('four') OVER (ORDER BY salary) FROM employees
SELECT emp_id FROM employees WHERE rank() OVER (ORDER BY salary) = 1
SELECT dept, salary FROM employees QUALIFY row_number() OVER (PARTITION BY dept ORDER BY salary DESC) = 1
SELECT * FROM (SELECT dept, salary FROM employees) PIVOT (sum(salary) AS s FOR dept IN ('it', 'hr'))
SELECT * FROM (SELECT dept, salary FROM employees) PIVOT (salary FOR dept IN ('it', 'hr'))
SELECT it, hr FROM (SELECT dept, salary, emp_id FROM employees) PIVOT (max(salary) FOR dept IN ('it' AS it, 'hr' AS hr))
SELECT sku, measure, val FROM (SELECT sku, weight, CAST(price AS DOUBLE) AS price FROM products) UNPIVOT (val FOR measure IN (weight, price))
SELECT sku, measure, val FROM products UNPIVOT INCLUDE NULLS (val FOR measure IN (weight AS `w`, title AS `t`))
FROM orders |> WHERE total > 10 |> SELECT order_id, total
FROM orders |> AGGREGATE sum(total) AS s, count(*) AS n GROUP BY status |> WHERE s > 10 |> ORDER BY n DESC |> LIMIT 3
FROM orders |> AGGREGATE sum(total) AS s GROUP BY status |> SELECT order_id
FROM orders |> EXTEND total * 2 AS double_total |> SET total = 0 |> DROP items, payment |> SELECT order_id, double_total, total
FROM orders |> DROP items |> SELECT items
FROM customers |> AS c |> JOIN orders o ON c.customer_id = o.customer_id |> SELECT c.name, o.total
FROM customers |> AS c |> JOIN orders o ON c.customer_id = o.customer_id |> SELECT customer_id
TABLE orders |> TABLESAMPLE (10 ROWS) |> SELECT count(*)
TABLE orders |> AGGREGATE count(*)
SELECT order_id FROM orders |> UNION ALL SELECT customer_id FROM customers
TABLE employees |> WHERE count(*) > 1
SELECT date_add(ship_date, 7), date_sub(ship_date, 7), ship_date + INTERVAL 3 DAYS, ship_date - DATE'2024-01-01' FROM orders
SELECT dateadd(MONTH, 3, ordered_at), timestampdiff(HOUR, ordered_at, current_timestamp()), datediff(DAY, ship_date, current_date) FROM orders
SELECT dateadd(MONTHLY, 3, ordered_at) FROM orders
SELECT date_trunc('MONTH', ordered_at), trunc(ship_date, 'YEAR'), extract(DOW FROM ship_date), date_part('week', ship_date) FROM orders
SELECT extract(EPOCHS FROM ship_date) FROM orders
SELECT to_date('2024-01-31'), to_timestamp('2024-01-31 10', 'yyyy-MM-dd HH'), date_format(ordered_at, 'EEEE'), unix_timestamp(ordered_at), from_unixtime(0) FROM orders
SELECT make_date(2024, 1, 31), make_timestamp(2024, 1, 31, 10, 0, 0), make_interval(0, 1), make_dt_interval(1, 2), make_ym_interval(1, 2)
SELECT make_date('x', 1) FROM orders
SELECT last_day(ship_date), next_day(ship_date, 'MON'), months_between(ordered_at, ship_date), add_months(ship_date, 1), weekday(ship_date) FROM orders
SELECT ship_date + 1 FROM orders
SELECT ship_date * 2 FROM orders
SELECT INTERVAL '1-2' YEAR TO MONTH + INTERVAL '3' DAY
SELECT INTERVAL 1 YEAR 2 MONTHS, INTERVAL '1 10:20:30' DAY TO SECOND
SELECT INTERVAL '1' FORTNIGHT
SELECT sum(ordered_at) FROM orders
SELECT avg(status) FROM orders
SELECT avg(is_gift) FROM orders
SELECT sum(total) / count(*), total % 3, total DIV 2, -total, ~order_id, order_id & 3, order_id ^ 1 FROM orders GROUP BY total, order_id
SELECT ~total FROM orders
SELECT total AND is_gift FROM orders
SELECT * FROM orders WHERE status
SELECT * FROM orders WHERE NOT is_gift AND status <=> 'paid'
SELECT * FROM orders WHERE items = 1
SELECT * FROM orders WHERE payment = named_struct('method', 'card', 'installments', 1)
SELECT * FROM orders WHERE payment = named_struct('method', 'card')
SELECT * FROM orders WHERE (customer_id, status) IN (SELECT customer_id, country FROM customers)
SELECT * FROM orders WHERE customer_id IN (SELECT name, customer_id FROM customers)
SELECT * FROM customers WHERE name LIKE ALL ('a%', '%b') OR name ILIKE ANY ('x%') OR name RLIKE '^a'
SELECT * FROM customers WHERE name LIKE ANY ()
SELECT * FROM customers WHERE name LIKE ANY (tags)
SELECT * FROM customers WHERE signup_date LIKE '2024%'
SELECT * FROM customers WHERE tags LIKE 'a%'
SELECT name COLLATE UTF8_LCASE, collation(name) FROM customers ORDER BY name COLLATE UNICODE_CI
SELECT name COLLATE 'UNICODE' FROM customers
SELECT name COLLATE klingon FROM customers
SELECT customer_id COLLATE UTF8_LCASE FROM customers
SELECT name COLLATE UTF8_LCASE = email COLLATE UNICODE FROM customers
SELECT from_json(payload, 'a INT, b ARRAY<STRING>').a, get_json_object(payload, '$.x'), json_tuple(payload, 'a', 'b') FROM events
SELECT from_json(payload, 'a INT').b FROM events
SELECT from_json(payload, 'a INT', map('mode', 'FAILFAST')), to_json(struct(event_id, user_id), map('dateFormat', 'yyyy')) FROM events
SELECT from_json(payload, event_type) FROM events
SELECT from_json(payload, 'a NOTATYPE') FROM events
SELECT from_json(payload, 'a INT', 'mode') FROM events
SELECT from_csv(payload, 'a INT, b DOUBLE').b, schema_of_csv('1,abc'), schema_of_json('{"a": 1}') FROM events
SELECT schema_of_json(payload) FROM events
SELECT from_csv(payload, 'ARRAY<INT>') FROM events
SELECT to_csv(struct(event_id, user_id)), to_csv(props) FROM events
SELECT to_json(event_id) FROM events
SELECT parse_json(payload):a.b::INT, variant_get(parse_json(payload), '$.a', 'int'), try_variant_get(parse_json(payload), '$.b', 'string') FROM events
SELECT payload:a FROM events
SELECT variant_get(payload, '$.a', 'int') FROM events
SELECT schema_of_variant(parse_json(payload)), is_variant_null(parse_json(payload)) FROM events
SELECT xpath_string(payload, 'a/b'), xpath(payload, 'a/b/text()'), from_xml(payload, 'a INT') FROM events
SELECT split(name, ','), split_part(name, ' ', 1), regexp_extract(name, '(\\w+)', 1), regexp_replace(name, 'a', 'b'), regexp_count(name, 'a') FROM customers
SELECT regexp_extract_all(name) FROM customers
SELECT substring(name FROM 2 FOR 3), position('a' IN name), overlay(name PLACING 'x' FROM 2), trim(BOTH 'x' FROM name), left(name, 3) FROM customers
SELECT lpad(name, 10, '*'), rpad(name, 10), repeat(name, 2), space(3), soundex(name), levenshtein(name, email), initcap(name), instr(name, 'a'), locate('a', name, 2) FROM customers
SELECT levenshtein(name) FROM customers
SELECT format_string('%s-%d', name, customer_id), format_number(customer_id, 2), printf('%s', name), concat_ws(',', tags, name) FROM customers
SELECT to_number('1,234', '9,999'), to_char(total, '999.99'), try_to_number(status, '99'), to_varchar(total, '$9') FROM orders
SELECT array_contains(tags, 'a'), array_position(tags, 'b'), array_distinct(tags), array_union(tags, array('x')), array_except(tags, array('x')), arrays_zip(tags, tags), flatten(array(tags)), slice(tags, 1, 2), sequence(1, 10, 2) FROM customers
SELECT array_union(tags, array(1, 2)) FROM customers
SELECT array_append(tags, 5), array_insert(tags, 1, 'x'), array_remove(tags, 'x'), array_size(tags), cardinality(preferences), try_element_at(tags, 3) FROM customers
SELECT flatten(tags) FROM customers
SELECT map('a', 1, 'b', 2)['a'], map_from_arrays(array('a'), array(1)), map_entries(preferences), map_concat(preferences, map('x', 'y')), str_to_map('a:1,b:2') FROM customers
SELECT map('a', 1, 'b') FROM customers
SELECT map('a', 1, 2, 'b') FROM customers
SELECT named_struct('a', 1, 'b', 'x').b, struct(name AS n, customer_id).n, struct(*) FROM customers
SELECT named_struct('a', 1, 'b') FROM customers
SELECT struct(name AS n).name FROM customers
SELECT CAST(total AS INT), total::STRING, TRY_CAST(status AS DATE), INT(status), DOUBLE('1.5'), CAST(tags AS ARRAY<INT>) FROM orders JOIN customers USING (customer_id)
SELECT CAST(tags AS STRING), CAST(payment AS MAP<STRING, INT>) FROM orders JOIN customers USING (customer_id)
SELECT CAST(is_gift AS DATE) FROM orders
SELECT CAST(total AS MONEY) FROM orders
SELECT coalesce(status, total), nvl(status, 'x'), nvl2(status, 1, 2), ifnull(total, 0), nullif(status, ''), greatest(1, 2.5), least('a', 'b') FROM orders
SELECT coalesce(tags, name) FROM customers
SELECT CASE status WHEN 'a' THEN 1 WHEN 'b' THEN 2.5 END, iff(is_gift, 1, 2) FROM orders
SELECT if(is_gift, 1, 2), decode(status, 'a', 1, 'b', 2, 0), CASE WHEN is_gift THEN 'x' ELSE 0 END FROM orders
SELECT if(status, 1, 2) FROM orders
SELECT CASE WHEN total > 1 THEN tags ELSE 'none' END FROM orders JOIN customers USING (customer_id)
SELECT customer_id FROM customers LEFT SEMI JOIN orders USING (customer_id)
SELECT c.name, o.total FROM customers c LEFT ANTI JOIN orders o ON c.customer_id = o.customer_id
SELECT * FROM customers NATURAL JOIN orders WHERE customer_id > 5
SELECT * EXCEPT (items, payment) FROM orders
SELECT * EXCEPT (nothing) FROM orders
SELECT o.* EXCEPT (payment.method) FROM orders o
SELECT order_id AS id, id + 1 AS next_id FROM orders
SELECT id + 1 AS next_id, order_id AS id FROM orders
SELECT order_id AS id FROM orders WHERE id > 5
SELECT * FROM orders TABLESAMPLE (5 PERCENT) REPEATABLE (42)
SELECT * FROM orders TABLESAMPLE (BUCKET 1 OUT OF 10)
SELECT /*+ BROADCAST(c) */ o.order_id FROM orders o JOIN customers c USING (customer_id)
SELECT * FROM range(1, 10, 2) AS r(n) WHERE n > 3
SELECT id FROM range(5) r WHERE r.id > 1
SELECT * FROM range('a', 'b', 'c', 'd', 'e')
WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT sum(n) FROM r
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r
WITH t(a, b) AS (SELECT 1) SELECT * FROM t
WITH t(a) AS (SELECT 1), t(b) AS (SELECT 2) SELECT * FROM t
SELECT order_id FROM orders MINUS SELECT customer_id FROM customers
SELECT order_id FROM orders INTERSECT SELECT name FROM customers
SELECT order_id, status FROM orders EXCEPT SELECT customer_id FROM customers
SELECT name FROM customers ORDER BY ALL
SELECT name FROM customers SORT BY name DESC NULLS LAST
SELECT name FROM customers DISTRIBUTE BY country SORT BY name
SELECT name FROM customers CLUSTER BY country ORDER BY name
SELECT name FROM customers LIMIT ALL OFFSET 5
SELECT name FROM customers LIMIT customer_id
SELECT name FROM customers LIMIT 'x'
SELECT name FROM customers OFFSET 5 LIMIT 2
SELECT percentile(salary, array(0.25, 0.75)), approx_count_distinct(dept), histogram_numeric(salary, 5), stddev_samp(salary), corr(emp_id, salary) FROM employees
SELECT percentile(salary, emp_id) FROM employees
SELECT corr(name, salary) FROM employees
SELECT collect_list(DISTINCT name), collect_set(struct(name, dept)), array_agg(name) FROM employees
SELECT collect_set(preferences) FROM customers
SELECT median(salary), mode(dept), kurtosis(salary), skewness(salary), regr_slope(emp_id, salary) FROM employees
SELECT sha2(name, 256), md5(name), crc32(name), hash(name, email), xxhash64(name), base64(name), unbase64(name), hex(customer_id), unhex('4D'), bin(3) FROM customers
SELECT sha2(name) FROM customers
SELECT encode(name, 'UTF-8'), decode(encode(name, 'UTF-8'), 'UTF-8'), aes_encrypt(name, '0000111122223333') FROM customers
SELECT uuid(), rand(), randn(3), monotonically_increasing_id(), spark_partition_id(), input_file_name(), current_user(), current_database() FROM customers
SELECT rand(customer_id) FROM customers
SELECT assert_true(total > 0), raise_error('x'), typeof(total), equal_null(status, NULL) FROM orders
SELECT window(ordered_at, '10 minutes').start, count(*) FROM orders GROUP BY window(ordered_at, '10 minutes')
SELECT window.start, count(*) FROM orders GROUP BY window(ordered_at, '10 minutes')
SELECT count(*) FROM orders GROUP BY session_window(ordered_at, '5 minutes')
SELECT window(status, '10 minutes') FROM orders
SELECT round(total, 1), bround(total, 1), ceil(total), floor(total, 1), pow(2, 3), sqrt(total), log(10, total), ln(total), sign(total), pmod(5, 3), width_bucket(total, 0, 10, 5) FROM orders
SELECT round(total, order_id) FROM orders
SELECT try_divide(1, 0), try_add(ship_date, INTERVAL 1 DAY), try_sum(total) OVER (), try_avg(total) OVER () FROM orders
SELECT DATE '2024-13-01'
SELECT TIMESTAMP '2024-01-01 00:00:00 UTC', DATE '2024-01-01', X'1F', 1L, 2S, 3Y, 4BD, 1e3, r'\d'
SELECT 99999999999999999999999999999999999999999
SELECT 300Y
SELECT name FROM customers WHERE customer_id = :id
SELECT name FROM customers WHERE customer_id = ?
SELECT IDENTIFIER('name') FROM IDENTIFIER('customers')
SELECT name FROM customer
SELECT c.name FROM customers AS cust
SELECT cust.nam FROM customers AS cust
SELECT NVL(name) FROM customers
SELECT array_concat(tags, tags) FROM customers
SELECT DATEDIFF(ship_date) FROM orders
SELECT name FROM customers WHERE signup_date > DATEADD(day, -30, GETDATE())
SELECT TO_CHAR(ordered_at) FROM orders
SELECT STRFTIME('%Y', ordered_at) FROM orders
SELECT name FROM customers WHERE CONTAINS(name, 'a') AND STARTSWITH(name, 'b') AND ENDSWITH(name, 'c')
SELECT name FROM customers WHERE name ~ 'a'
SELECT name::TEXT FROM customers
SELECT count(DISTINCT country, name), sum(DISTINCT customer_id) FROM customers
SELECT count(DISTINCT *) FROM customers
SELECT sum(*) FROM customers
SELECT name, (SELECT max(total) FROM orders o WHERE o.customer_id = c.customer_id) FROM customers c
SELECT name, (SELECT total FROM orders o WHERE o.customer_id = c.customer_id) FROM customers c
SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)
SELECT TRANSFORM (name, country) USING 'cat' AS (n, c) FROM customers
SELECT TRANSFORM (name, nope) USING 'cat' AS (n, c) FROM customers
SELECT n FROM (SELECT TRANSFORM (name, country) USING 'cat' AS (n STRING, c STRING) FROM customers)
SELECT m FROM (SELECT TRANSFORM (name, country) USING 'cat' AS (n STRING, c STRING) FROM customers)
FROM customers SELECT name WHERE country = 'DE'
FROM customers MAP name, country USING 'cat' AS n, c
SELECT select, from FROM customers
SELECT name AS select, country AS where FROM customers
SELECT name order FROM customers
SELECT named.group FROM (SELECT 1 AS group) named
SHOW TABLES
SHOW COLUMNS IN orders
DESCRIBE orders
DESCRIBE TABLE EXTENDED nope
SHOW FUNCTIONS LIKE 'a*'
SHOW CREATE TABLE orders
EXPLAIN EXTENDED SELECT name FROM customers
EXPLAIN SELECT nam FROM customers
SELECT to_json(struct(order_id, items)), json_array_length('[1]'), json_object_keys('{}') FROM orders
SELECT json_object_keys(1) FROM orders
SELECT bit_count(order_id), bit_get(order_id, 1), shiftleft(order_id, 2), order_id << 1, order_id >>> 2 FROM orders
SELECT shiftleft(total, 2) FROM orders
SELECT hll_sketch_estimate(hll_sketch_agg(customer_id)) FROM orders
SELECT hll_sketch_estimate(customer_id) FROM orders
SELECT luhn_check('1'), mask(name), ucase(name), char_length(name), bit_length(name), octet_length(name), ascii(name), chr(65), url_encode(name), parse_url('http://a', 'HOST') FROM customers
SELECT parse_url(name, customer_id, 'a', 'b') FROM customers
SELECT mask(name, upperChar => 'Q'), mask(name, 'Q', 'q') FROM customers
SELECT mask(name, bigChar => 'Q') FROM customers
-- A fleet: analytics as models write them, and what is wrong in them.
WITH monthly AS (SELECT date_trunc('MONTH', created_at) AS m, origin, SUM(cost) AS total FROM shipments GROUP BY date_trunc('MONTH', created_at), origin) SELECT m, origin, total, total - LAG(total) OVER (PARTITION BY origin ORDER BY m) AS diff FROM monthly ORDER BY m, origin
WITH monthly AS (SELECT date_trunc('MONTH', created_at) AS m, origin, SUM(cost) AS total FROM shipments GROUP BY date_trunc('MONTH', created_at), origin) SELECT m, origin, total, total - LAG(total, 'x') OVER (PARTITION BY origin ORDER BY m) AS diff FROM monthly ORDER BY m, origin
WITH monthly AS (SELECT date_trunc('MONTH', created_at) AS m, origin, SUM(cost) AS totals FROM shipments GROUP BY date_trunc('MONTH', created_at), origin) SELECT m, origin, total, total - LAG(total) OVER (PARTITION BY origin ORDER BY m) AS diff FROM monthly ORDER BY m, origin
WITH monthly AS (SELECT date_trunc('MONTH', created_at) AS m, origin, SUM(cost) AS total FROM shipments GROUP BY date_trunc('MONTH', created_at)) SELECT m, origin, total, total - LAG(total) OVER (PARTITION BY origin ORDER BY m) AS diff FROM monthly ORDER BY m, origin
WITH monthly AS (SELECT date_trunc('MONTH', created_at) AS m, origin, SUM(cost) AS total FROM shipments GROUP BY date_trunc('MONTH', created_at), origin) SELECT m, origin, total, total - LAG(total) OVER (PARTITION BY origin) AS diff FROM monthly ORDER BY m, origin
SELECT driver_id, shipment_id, ROW_NUMBER() OVER (PARTITION BY driver_id ORDER BY delivered_at DESC NULLS LAST) AS rn FROM shipments QUALIFY rn = 1
SELECT driver_id, shipment_id, ROW_NUMBER() OVER (PARTITION BY driver_id ORDER BY delivered_at DESC NULLS LAST) AS rn FROM shipments WHERE rn = 1
SELECT driver_id, shipment_id, ROW_NUMBER() OVER (PARTITION BY driver_id ORDER BY delivered_at DESC NULLS LAST) AS rn FROM shipments HAVING rn = 1
SELECT driver_id, shipment_id, ROW_NUMBER() OVER (PARTITION BY driver_id ORDER BY delivered_at DESC NULLS LAST) AS rn FROM shipments QUALIFY rank = 1
SELECT d.full_name, p.code, p.grams FROM shipments s JOIN drivers d USING (driver_id) LATERAL VIEW explode(s.parcels) t AS p WHERE p.grams > 500
SELECT d.full_name, p.code, p.weight FROM shipments s JOIN drivers d USING (driver_id) LATERAL VIEW explode(s.parcels) t AS p WHERE p.grams > 500
SELECT d.full_name, p.code, p.grams FROM shipments s JOIN drivers d USING (driver_id) LATERAL VIEW explode(s.dest) t AS p WHERE p.grams > 500
SELECT d.full_name, p.code, p.grams FROM shipments s JOIN drivers d USING (depot_id) LATERAL VIEW explode(s.parcels) t AS p WHERE p.grams > 500
SELECT d.full_name, p.code, p.grams FROM shipments s JOIN drivers d USING (driver_id) LATERAL VIEW explode(s.parcels) t AS p, q WHERE p.grams > 500
SELECT s.shipment_id, aggregate(s.parcels, 0, (acc, x) -> acc + x.grams) AS grams, filter(s.labels, l -> l LIKE 'fragile%') AS fragile FROM shipments s
SELECT s.shipment_id, aggregate(s.parcels, 0, (acc, x) -> acc + x.value) AS grams, filter(s.labels, l -> l LIKE 'fragile%') AS fragile FROM shipments s
SELECT s.shipment_id, aggregate(s.parcels, 0, x -> x.grams) AS grams, filter(s.labels, l -> l LIKE 'fragile%') AS fragile FROM shipments s
SELECT s.shipment_id, aggregate(s.parcels, 0, (acc, x) -> acc + x.grams) AS grams, filter(s.labels, l -> length(l)) AS fragile FROM shipments s
SELECT s.shipment_id, aggregate(s.parcels, 0, (acc, x) -> acc + x.weight) AS grams, filter(s.labels, l -> l LIKE 'fragile%') AS fragile FROM shipments s
SELECT * FROM (SELECT region, month, goal FROM targets) PIVOT (SUM(goal) AS g FOR month IN ('2024-01' AS jan, '2024-02' AS feb)) ORDER BY region
SELECT * FROM (SELECT region, month, goal FROM targets) PIVOT (goal AS g FOR month IN ('2024-01' AS jan, '2024-02' AS feb)) ORDER BY region
SELECT * FROM (SELECT region, month, goal FROM targets) PIVOT (SUM(goal) AS g FOR mon IN ('2024-01' AS jan, '2024-02' AS feb)) ORDER BY region
SELECT * FROM (SELECT region, month, goal FROM targets) PIVOT (SUM(goal) AS g FOR month IN ('2024-01' AS jan, '2024-02' AS feb)) ORDER BY month
SELECT region, quarter, n FROM targets UNPIVOT (n FOR quarter IN (q1, q2, q3, q4))
SELECT region, quarter, n FROM targets UNPIVOT (n FOR quarter IN (q1, q2, q3, q5))
SELECT region, quarter, q1 FROM targets UNPIVOT (n FOR quarter IN (q1, q2, q3, q4))
SELECT region, quarter, n FROM targets UNPIVOT (n FOR quarter IN (q1, q2, q3, region))
SELECT datediff(delivered_at, created_at) AS days, date_add(promised, 3), add_months(promised, 1), months_between(promised, current_date()), last_day(promised), next_day(promised, 'MON') FROM shipments
SELECT datediff(delivered_at, created_at) AS days, date_add(promised, 'x3'), add_months(promised, 1), months_between(promised, current_date()), last_day(promised), next_day(promised, 'MON') FROM shipments
SELECT datediff(delivered_at, cost) AS days, date_add(promised, 3), add_months(promised, 1), months_between(promised, current_date()), last_day(promised), next_day(promised, 'MON') FROM shipments
SELECT datediff(delivered_at, created_at) AS days, date_add(promised, 3), add_months(promised, 1), months_between(promised, current_date()), last_day(promised, 1), next_day(promised, 'MON') FROM shipments
SELECT datediff(delivered_at, created_at) AS days, date_add(promised, 3), add_months(promised, 1), months_between(promised, current_date()), last_day(promised), next_day(promised) FROM shipments
SELECT timestampdiff(HOUR, created_at, delivered_at) AS h, timestampadd(MINUTE, 30, created_at), date_diff(DAY, created_at, delivered_at), dateadd(WEEK, 2, promised) FROM shipments
SELECT timestampdiff('HOUR', created_at, delivered_at) AS h, timestampadd(MINUTE, 30, created_at), date_diff(DAY, created_at, delivered_at), dateadd(WEEK, 2, promised) FROM shipments
SELECT timestampdiff(HOUR, created_at, delivered_at) AS h, timestampadd(FORTNIGHT, 30, created_at), date_diff(DAY, created_at, delivered_at), dateadd(WEEK, 2, promised) FROM shipments
SELECT EXTRACT(YEAR FROM promised) AS y, EXTRACT(DAYOFWEEK FROM promised) AS w, date_part('QUARTER', created_at), weekofyear(created_at), dayname(promised), monthname(promised) FROM shipments
SELECT EXTRACT(YEAR FROM promised) AS y, EXTRACT(DAYOFWEEKS FROM promised) AS w, date_part('QUARTER', created_at), weekofyear(created_at), dayname(promised), monthname(promised) FROM shipments
SELECT EXTRACT(YEAR FROM promised) AS y, EXTRACT(DAYOFWEEK FROM promised) AS w, date_part('QUARTER', created_at), weekofyear(created_at), day_name(promised), monthname(promised) FROM shipments
SELECT EXTRACT(YEAR FROM promised) AS y, EXTRACT(DAYOFWEEK FROM promised) AS w, date_part(status, created_at), weekofyear(created_at), dayname(promised), monthname(promised) FROM shipments
SELECT date_format(created_at, 'yyyy-MM') AS ym, COUNT(DISTINCT driver_id) AS drivers, COUNT_IF(status = 'late') AS late, percentile_approx(cost, 0.5) AS med, approx_count_distinct(destination) FROM shipments GROUP BY ym HAVING COUNT(*) > 10 ORDER BY ym
SELECT date_format(created_at, 'yyyy-MM') AS ym, COUNT(DISTINCT driver_id) AS drivers, COUNT_IF(status) AS late, percentile_approx(cost, 0.5) AS med, approx_count_distinct(destination) FROM shipments GROUP BY ym HAVING COUNT(*) > 10 ORDER BY ym
SELECT date_format(created_at, 'yyyy-MM') AS ym, COUNT(DISTINCT driver_id) AS drivers, COUNT_IF(status = 'late') AS late, percentile_approx(cost, 0.5) AS med, approx_count_distinct(destination) FROM shipments GROUP BY drivers HAVING COUNT(*) > 10 ORDER BY ym
SELECT date_format(created_at, 'yyyy-MM') AS ym, COUNT(DISTINCT driver_id) AS drivers, COUNT_IF(status = 'late') AS late, percentile_approx(cost) AS med, approx_count_distinct(destination) FROM shipments GROUP BY ym HAVING COUNT(*) > 10 ORDER BY ym
SELECT date_format(created_at, 'yyyy-MM') AS ym, COUNT(DISTINCT driver_id) AS drivers, COUNT_IF(status = 'late') AS late, percentile_approx(status, driver_id) AS med, approx_count_distinct(destination) FROM shipments GROUP BY ym HAVING COUNT(*) > 10 ORDER BY ym
SELECT origin, status, grouping_id() AS g, SUM(cost) FROM shipments GROUP BY ROLLUP (origin, status) ORDER BY g, origin
SELECT origin, status, grouping_id() AS g, SUM(cost) FROM shipments GROUP BY ROLLUP (origin) ORDER BY g, origin
SELECT origin, status, grouping(destination) AS g, SUM(cost) FROM shipments GROUP BY ROLLUP (origin, status) ORDER BY g, origin
SELECT origin, status, COUNT(*) FROM shipments GROUP BY GROUPING SETS ((origin, status), (origin), ())
SELECT dest.city, AVG(dest.pos.lat) FROM shipments GROUP BY dest.city
SELECT dest.city, AVG(dest.pos.latitude) FROM shipments GROUP BY dest.city
SELECT dest.city, AVG(dest.pos) FROM shipments GROUP BY dest.city
SELECT dest.city, AVG(dest.pos.lat) FROM shipments GROUP BY dest.pos
SELECT extra['carrier'] AS carrier, extra.priority, map_keys(extra), size(extra), map_contains_key(extra, 'x') FROM shipments WHERE extra['carrier'] IS NOT NULL
SELECT extra[1.5D] AS carrier, extra.priority, map_keys(extra), size(extra), map_contains_key(extra, 'x') FROM shipments WHERE extra['carrier'] IS NOT NULL
SELECT extra['carrier'] AS carrier, extra.priority, map_keys(labels), size(extra), map_contains_key(extra, 'x') FROM shipments WHERE extra['carrier'] IS NOT NULL
SELECT extra['carrier'] AS carrier, extra.priority, map_keys(extra), size(extra), map_contains_key(extra) FROM shipments WHERE extra['carrier'] IS NOT NULL
SELECT depot_id, collect_list(full_name) AS names, array_join(sort_array(collect_set(licence)), ', ') AS licences, max_by(full_name, rating) AS best FROM drivers GROUP BY depot_id
SELECT depot_id, collect_list(full_name) AS names, array_join(sort_array(collect_set(licence)), ', ') AS licences, max_by(full_name) AS best FROM drivers GROUP BY depot_id
SELECT depot_id, collect_list(full_name) AS names, array_join(sort_array(licence), ', ') AS licences, max_by(full_name, rating) AS best FROM drivers GROUP BY depot_id
SELECT depot_id, collect_lists(full_name) AS names, array_join(sort_array(collect_set(licence)), ', ') AS licences, max_by(full_name, rating) AS best FROM drivers GROUP BY depot_id
SELECT d.depot_name, r.region FROM depots d LEFT ANTI JOIN drivers r ON r.depot_id = d.depot_id
SELECT d.depot_name FROM depots d LEFT ANTI JOIN drivers r ON r.depot_id = d.depot_id
SELECT d.depot_name FROM depots d LEFT SEMI JOIN drivers r ON r.depot_id = d.depot_id AND r.is_active
SELECT d.depot_name, r.full_name FROM depots d LEFT SEMI JOIN drivers r ON r.depot_id = d.depot_id AND r.is_active
SELECT d.depot_name FROM depots d LEFT SEMI JOIN drivers r ON r.depot_id = d.depot_id AND r.full_name
SELECT s.shipment_id, x.pos, x.col.code FROM shipments s, LATERAL posexplode(s.parcels) x
SELECT s.shipment_id, x.pos, x.parcel.code FROM shipments s, LATERAL posexplode(s.parcels) x
SELECT s.shipment_id, x.pos, x.col.code FROM shipments s, LATERAL posexplode(s.status) x
SELECT s.origin, l.cost FROM (SELECT DISTINCT origin FROM shipments) s JOIN LATERAL (SELECT cost FROM shipments t WHERE t.origin = s.origin ORDER BY cost DESC LIMIT 3) l
SELECT s.origin, l.cost FROM (SELECT DISTINCT origin FROM shipments) s JOIN LATERAL (SELECT cost FROM shipments t WHERE t.origin = s.destination ORDER BY cost DESC LIMIT 3) l
SELECT s.origin, l.weight_kg FROM (SELECT DISTINCT origin FROM shipments) s JOIN LATERAL (SELECT cost FROM shipments t WHERE t.origin = s.origin ORDER BY cost DESC LIMIT 3) l
SELECT from_json(raw, 'a INT, b STRUCT<c: STRING>').b.c, get_json_object(raw, '$.x.y'), json_array_length(raw), to_json(named_struct('a', lat)) FROM pings
SELECT from_json(raw, 'a INT, b STRUCT<c: STRING>').b.d, get_json_object(raw, '$.x.y'), json_array_length(raw), to_json(named_struct('a', lat)) FROM pings
SELECT from_json(raw, 'a INT, b STRUCT<c: STRING>').b.c, get_json_object(raw), json_array_length(raw), to_json(named_struct('a', lat)) FROM pings
SELECT from_json(raw, 'a INT, b STRUCT<c: STRING>').b.c, get_json_object(raw, '$.x.y'), json_array_length(raw), to_json(named_struct('a')) FROM pings
SELECT from_json(raw).b.c, get_json_object(raw, '$.x.y'), json_array_length(raw), to_json(named_struct('a', lat)) FROM pings
SELECT driver_id, window.start, window.end, AVG(speed) FROM pings GROUP BY driver_id, window(ping_at, '10 minutes')
SELECT driver_id, window.start, window.end, AVG(speed) FROM pings GROUP BY driver_id, window(lat, '10 minutes')
SELECT driver_id, window.begin, window.end, AVG(speed) FROM pings GROUP BY driver_id, window(ping_at, '10 minutes')
SELECT driver_id, session_window.start, COUNT(*) FROM pings GROUP BY driver_id, session_window(ping_at, '5 minutes')
SELECT CASE WHEN rating >= 4.5 THEN 'top' WHEN rating >= 3 THEN 'mid' ELSE 'low' END AS band, COUNT(*) FROM drivers GROUP BY 1 ORDER BY 2 DESC
SELECT CASE WHEN rating >= 4.5 THEN 'top' WHEN rating THEN 'mid' ELSE 'low' END AS band, COUNT(*) FROM drivers GROUP BY 1 ORDER BY 2 DESC
SELECT CASE WHEN rating >= 4.5 THEN 'top' WHEN rating >= 3 THEN 'mid' ELSE 'low' END AS band, COUNT(*) FROM drivers GROUP BY 1 ORDER BY 3 DESC
SELECT CASE WHEN rating >= 4.5 THEN 'top' WHEN rating >= 3 THEN 'mid' ELSE 'low' END AS band, COUNT(*) FROM drivers GROUP BY 2 ORDER BY 2 DESC
SELECT CASE status WHEN 'late' THEN 1 WHEN 'ok' THEN 0 END FROM shipments
SELECT CASE status WHEN 'late' THEN 1 WHEN 'ok' THEN array(0) END FROM shipments
SELECT CASE labels WHEN 'late' THEN 1 WHEN 'ok' THEN 0 END FROM shipments
SELECT full_name FROM drivers WHERE driver_id IN (SELECT driver_id FROM shipments GROUP BY driver_id HAVING SUM(cost) > 1000) AND NOT EXISTS (SELECT 1 FROM pings p WHERE p.driver_id = drivers.driver_id)
SELECT full_name FROM drivers WHERE driver_id IN (SELECT driver_id, origin FROM shipments GROUP BY driver_id HAVING SUM(cost) > 1000) AND NOT EXISTS (SELECT 1 FROM pings p WHERE p.driver_id = drivers.driver_id)
SELECT full_name FROM drivers WHERE driver_id IN (SELECT driver_id FROM shipments GROUP BY driver_id HAVING SUM(cost) > 1000) AND NOT EXISTS (SELECT 1 FROM pings p WHERE p.driver_id = driver.driver_id)
SELECT driver_id, ping_at, speed, AVG(speed) OVER (PARTITION BY driver_id ORDER BY ping_at RANGE BETWEEN INTERVAL 10 MINUTES PRECEDING AND CURRENT ROW) AS avg10 FROM pings
SELECT driver_id, ping_at, speed, AVG(speed) OVER (PARTITION BY driver_id ORDER BY ping_at RANGE BETWEEN '10 minutes' PRECEDING AND CURRENT ROW) AS avg10 FROM pings
SELECT driver_id, ping_at, speed, AVG(speed) OVER (PARTITION BY driver_id ORDER BY raw RANGE BETWEEN INTERVAL 10 MINUTES PRECEDING AND CURRENT ROW) AS avg10 FROM pings
SELECT SUM(cost) OVER w, RANK() OVER (PARTITION BY origin ORDER BY created_at) FROM shipments WINDOW w AS (PARTITION BY origin)
SELECT SUM(cost) OVER w, RANK() OVER v FROM shipments WINDOW w AS (PARTITION BY origin)
SELECT SUM(status, 1) OVER w, RANK() OVER (PARTITION BY origin ORDER BY created_at) FROM shipments WINDOW w AS (PARTITION BY origin)
SELECT driver_id, ntile(4) OVER (ORDER BY rating), percent_rank() OVER (ORDER BY rating), cume_dist() OVER (ORDER BY rating), first_value(full_name) IGNORE NULLS OVER (PARTITION BY depot_id ORDER BY rating), nth_value(full_name, 2) OVER (PARTITION BY depot_id ORDER BY rating) FROM drivers
SELECT driver_id, ntile(rating) OVER (ORDER BY rating), percent_rank() OVER (ORDER BY rating), cume_dist() OVER (ORDER BY rating), first_value(full_name) IGNORE NULLS OVER (PARTITION BY depot_id ORDER BY rating), nth_value(full_name, 2) OVER (PARTITION BY depot_id ORDER BY rating) FROM drivers
SELECT driver_id, ntile(4) OVER (ORDER BY rating), percent_rank(rating) OVER (ORDER BY rating), cume_dist() OVER (ORDER BY rating), first_value(full_name) IGNORE NULLS OVER (PARTITION BY depot_id ORDER BY rating), nth_value(full_name, 2) OVER (PARTITION BY depot_id ORDER BY rating) FROM drivers
SELECT driver_id, ntile(4) OVER (ORDER BY rating), percent_rank() OVER (ORDER BY rating), cume_dist(), first_value(full_name) IGNORE NULLS OVER (PARTITION BY depot_id ORDER BY rating), nth_value(full_name, 2) OVER (PARTITION BY depot_id ORDER BY rating) FROM drivers
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10) SELECT n FROM t
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1, n FROM t WHERE n < 10) SELECT n FROM t
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10) SELECT m FROM t
WITH a AS (SELECT driver_id FROM drivers), b AS (SELECT driver_id, COUNT(*) AS n FROM a JOIN pings USING (driver_id) GROUP BY driver_id) SELECT AVG(n) FROM b
WITH a AS (SELECT driver_id FROM drivers), b AS (SELECT driver_id, COUNT(*) AS n FROM b JOIN pings USING (driver_id) GROUP BY driver_id) SELECT AVG(n) FROM b
WITH a AS (SELECT driver_id FROM drivers), b AS (SELECT driver_id, COUNT(*) AS n FROM a JOIN pings USING (driver_id) GROUP BY driver_id) SELECT AVG(n) FROM c
SELECT split(full_name, ' ')[0] AS first, initcap(full_name), regexp_extract(full_name, '(\\w+)', 1), regexp_replace(licence, '[0-9]', ''), concat_ws('-', licence, depot_id), substring_index(licence, '-', 1) FROM drivers
SELECT split(full_name)[0] AS first, initcap(full_name), regexp_extract(full_name, '(\\w+)', 1), regexp_replace(licence, '[0-9]', ''), concat_ws('-', licence, depot_id), substring_index(licence, '-', 1) FROM drivers
SELECT split(full_name, ' ')[0] AS first, initcap(full_name), regexp_extract(full_name, '(\\w+)', 1), regexp_replace(licence, '[0-9]'), concat_ws('-', licence, depot_id), substring_index(licence, '-', 1) FROM drivers
SELECT split(full_name, ' ')[0] AS first, initcap(full_name), regexp_extract(full_name, '(\\w+)', 1), regexp_replace(licence, '[0-9]', ''), concat_ws(depot_id), substring_index(licence, '-', 1) FROM drivers
SELECT split(full_name, ' ')[0] AS first, init_cap(full_name), regexp_extract(full_name, '(\\w+)', 1), regexp_replace(licence, '[0-9]', ''), concat_ws('-', licence, depot_id), substring_index(licence, '-', 1) FROM drivers
SELECT lpad(CAST(driver_id AS STRING), 6, '0'), rpad(licence, 10), translate(licence, 'ab', 'cd'), levenshtein(licence, full_name), locate('a', full_name), instr(full_name, 'b'), overlay(licence PLACING 'x' FROM 2 FOR 1), position('a' IN full_name), trim(BOTH 'x' FROM licence), left(licence, 2) FROM drivers
SELECT lpad(CAST(driver_id AS STRING)), rpad(licence, 10), translate(licence, 'ab', 'cd'), levenshtein(licence, full_name), locate('a', full_name), instr(full_name, 'b'), overlay(licence PLACING 'x' FROM 2 FOR 1), position('a' IN full_name), trim(BOTH 'x' FROM licence), left(licence, 2) FROM drivers
SELECT lpad(CAST(driver_id AS STRING), 6, '0'), rpad(licence, 10), translate(licence, 'ab', 'cd'), levenshtein(licence, full_name), locate('a', full_name), instr(full_name, 'b', 1, 1), overlay(licence PLACING 'x' FROM 2 FOR 1), position('a' IN full_name), trim(BOTH 'x' FROM licence), left(licence, 2) FROM drivers
SELECT lpad(CAST(languages AS DATE), 6, '0'), rpad(licence, 10), translate(licence, 'ab', 'cd'), levenshtein(licence, full_name), locate('a', full_name), instr(full_name, 'b'), overlay(licence PLACING 'x' FROM 2 FOR 1), position('a' IN full_name), trim(BOTH 'x' FROM licence), left(licence, 2) FROM drivers
SELECT lpad(CAST(driver_id AS STRING), 6, '0'), rpad(licence, 10), translate(licence, 'ab', 'cd'), levenshtein(licence, full_name), locate('a'), instr(full_name, 'b'), overlay(licence PLACING 'x' FROM 2 FOR 1), position('a' IN full_name), trim(BOTH 'x' FROM licence), left(licence, 2) FROM drivers
SELECT try_divide(cost, weight_kg), try_add(cost, 1), try_cast(status AS INT), nullif(cost, 0), nvl(status, 'none'), nvl2(status, 1, 0), coalesce(delivered_at, promised), ifnull(cost, 0), if(cost > 1, 'a', 'b'), greatest(cost, weight_kg), zeroifnull(cost) FROM shipments
SELECT try_divide(cost, weight_kg), try_add(cost, 1), try_cast(status AS INT), nullif(cost, 0), nvl(status, 'none'), nvl2(status, 1), coalesce(delivered_at, promised), ifnull(cost, 0), if(cost > 1, 'a', 'b'), greatest(cost, weight_kg), zeroifnull(cost) FROM shipments
SELECT try_divide(cost, weight_kg), try_add(cost, 1), try_cast(status AS INT), nullif(cost, 0), nvl(status, 'none'), nvl2(status, 1, 0), coalesce(delivered_at, promised), ifnull(cost, 0), if(cost, 'a', 'b'), greatest(cost, weight_kg), zeroifnull(cost) FROM shipments
SELECT try_divide(cost, weight_kg), try_add(cost, 1), try_cast(status AS INT), nullif(cost, 0), nvl(status, 'none'), nvl2(status, 1, 0), coalesce(delivered_at, labels), ifnull(cost, 0), if(cost > 1, 'a', 'b'), greatest(cost, weight_kg), zeroifnull(cost) FROM shipments
SELECT try_divide(cost, weight_kg), try_add(cost, 1), try_cast(status AS INT), nullif(cost, 0), nvl(status, 'none'), nvl2(status, 1, 0), coalesce(delivered_at, promised), ifnull(cost, 0), if(cost > 1, 'a', 'b'), greatest(cost), zeroifnull(cost) FROM shipments
SELECT safe_divide(cost, weight_kg), try_add(cost, 1), try_cast(status AS INT), nullif(cost, 0), nvl(status, 'none'), nvl2(status, 1, 0), coalesce(delivered_at, promised), ifnull(cost, 0), if(cost > 1, 'a', 'b'), greatest(cost, weight_kg), zeroifnull(cost) FROM shipments
SELECT cost::INT, created_at::DATE, status :: STRING, 'abc' || driver_id, cost % 3, driver_id DIV 2, ~driver_id, driver_id & 1, driver_id << 2 FROM shipments
SELECT cost::INT, created_at::DATE, status :: STRING, 'abc' || driver_id, labels % 3, driver_id DIV 2, ~driver_id, driver_id & 1, driver_id << 2 FROM shipments
SELECT cost::INT, created_at::DATE, status :: STRING, 'abc' || driver_id, cost % 3, driver_id DIV 2, ~driver_id, cost & 1, driver_id << 2 FROM shipments
SELECT cost::INTEGER_X, created_at::DATE, status :: STRING, 'abc' || driver_id, cost % 3, driver_id DIV 2, ~driver_id, driver_id & 1, driver_id << 2 FROM shipments
SELECT cost::INT, created_at::DATE, status :: STRING, 'abc' || driver_id, cost % 3, status DIV labels, ~driver_id, driver_id & 1, driver_id << 2 FROM shipments
SELECT * EXCEPT (raw, lat) FROM pings
SELECT * EXCEPT (raw, latitude) FROM pings
SELECT * EXCLUDE (raw, lat) FROM pings
SELECT s.*, d.full_name FROM shipments s LEFT JOIN drivers d ON s.driver_id = d.driver_id AND d.hired_on <= s.created_at
SELECT s.*, d.name FROM shipments s LEFT JOIN drivers d ON s.driver_id = d.driver_id AND d.hired_on <= s.created_at
SELECT t.*, d.full_name FROM shipments s LEFT JOIN drivers d ON s.driver_id = d.driver_id AND d.hired_on <= s.created_at
SELECT s.*, d.full_name FROM shipments s LEFT JOIN drivers d ON s.driver_id = d.driver_id AND d.hired_on <= s.labels
SELECT inline(lines) FROM invoices
SELECT inline(payload) FROM invoices
SELECT invoice_id, label, qty * price AS total FROM invoices LATERAL VIEW inline(lines) l AS label, qty, price
SELECT invoice_id, label, qty * label.price AS total FROM invoices LATERAL VIEW inline(lines) l AS label, qty, price
SELECT invoice_id, label, qty * price AS total FROM invoices LATERAL VIEW inline(lines) l AS label, qty
SELECT sequence(DATE'2024-01-01', DATE'2024-12-31', INTERVAL 1 MONTH) AS months
SELECT sequence(DATE'2024-01-01', DATE'2024-12-31', 'month') AS months
SELECT explode(sequence(to_date('2024-01-01'), current_date(), interval 1 day)) AS d
SELECT cal.d, COUNT(s.shipment_id) FROM (SELECT explode(sequence(DATE'2024-01-01', DATE'2024-01-31', INTERVAL 1 DAY)) AS d) cal LEFT JOIN shipments s ON to_date(s.created_at) = cal.d GROUP BY cal.d ORDER BY cal.d
SELECT cal.d, COUNT(s.shipment_id) FROM (SELECT explode(sequence(DATE'2024-01-01', DATE'2024-01-31', INTERVAL 1 DAY)) AS d) cal LEFT JOIN shipments s ON to_date(s.created_at) = cal.d GROUP BY s.status ORDER BY cal.d
SELECT cal.d, COUNT(s.shipment_id) FROM (SELECT explode(sequence(DATE'2024-01-01', DATE'2024-01-31', INTERVAL 1 DAY)) AS d) cal LEFT JOIN shipments s ON to_date(s.created_at) = cal.day GROUP BY cal.d ORDER BY cal.d
SELECT id, v FROM VALUES (1, 'a'), (2, 'b') AS t(id, v)
SELECT id, v FROM VALUES (1, 'a'), (2, 'b', 3) AS t(id, v)
SELECT id, v FROM VALUES (1, 'a'), (2, 'b') AS t(id)
SELECT zip_with(array(1, 2), array(3, 4), (x, y) -> x + y), transform(lines, (l, i) -> l.qty + i), exists(lines, l -> l.price > 10), forall(lines, l -> l.qty > 0), array_sort(transform(lines, l -> l.price), (a, b) -> a - b < 0) FROM invoices
SELECT zip_with(array(1, 2), array(3, 4), (x, y) -> x + y), transform(lines, (l, i) -> l.qty + i), exists(lines, l -> l.price > 10), forall(lines, l -> l.qty > 0), array_sort(transform(lines, l -> l.price), (a, b) -> CASE WHEN a < b THEN -1 ELSE 1 END) FROM invoices
SELECT transform_values(hours, (k, v) -> v + 1), map_filter(hours, (k, v) -> k <> 'sun'), map_from_arrays(array('a'), array(1)), map_concat(hours, map('x', 1)), str_to_map('a:1,b:2'), map_entries(hours), map_zip_with(hours, hours, (k, a, b) -> a + b) FROM depots
SELECT transform_values(hours, (k, v) -> v + 1), map_filter(hours, (k, v) -> k <> 'sun'), map_from_arrays(array('a'), array(1)), map_concat(hours, map(1, 1)), str_to_map('a:1,b:2'), map_entries(hours), map_zip_with(hours, hours, (k, a, b) -> a + b) FROM depots
SELECT transform_values(hours, (k, v) -> v + 1), map_filter(hours, (k, v) -> k <> 'sun'), map_from_arrays('a', 1), map_concat(hours, map('x', 1)), str_to_map('a:1,b:2'), map_entries(hours), map_zip_with(hours, hours, (k, a, b) -> a + b) FROM depots
SELECT transform_values(hours, (k, v) -> v + 1), map_filter(hours, k -> k <> 'sun'), map_from_arrays(array('a'), array(1)), map_concat(hours, map('x', 1)), str_to_map('a:1,b:2'), map_entries(hours), map_zip_with(hours, hours, (k, a, b) -> a + b) FROM depots
SELECT array_contains(labels, 'x'), array_distinct(labels), array_union(labels, array('a')), array_except(labels, array('b')), arrays_overlap(labels, array('c')), flatten(array(labels, labels)), slice(labels, 1, 2), cardinality(labels), array_position(labels, 'x'), element_at(labels, -1), array_size(labels), array_agg(1) OVER () FROM shipments
SELECT array_contains(labels, 1), array_distinct(labels), array_union(labels, array('a')), array_except(labels, array('b')), arrays_overlap(labels, array('c')), flatten(array(labels, labels)), slice(labels, 1, 2), cardinality(labels), array_position(labels, 'x'), element_at(labels, -1), array_size(labels), array_agg(1) OVER () FROM shipments
SELECT array_contains(labels, 'x'), array_distinct(labels), array_union(labels, array('a')), array_except(labels, array('b')), arrays_overlap(labels, array('c')), flatten(labels), slice(labels, 1, 2), cardinality(labels), array_position(labels, 'x'), element_at(labels, -1), array_size(labels), array_agg(1) OVER () FROM shipments
SELECT array_contains(labels, 'x'), array_distinct(labels), array_union(labels, array('a')), array_except(labels, array('b')), arrays_overlap(labels, array('c')), flatten(array(labels, labels)), slice(labels, 1), cardinality(labels), array_position(labels, 'x'), element_at(labels, -1), array_size(labels), array_agg(1) OVER () FROM shipments
SELECT array_contains(labels, 'x'), array_distinct(labels), array_union(labels, 'a'), array_except(labels, array('b')), arrays_overlap(labels, array('c')), flatten(array(labels, labels)), slice(labels, 1, 2), cardinality(labels), array_position(labels, 'x'), element_at(labels, -1), array_size(labels), array_agg(1) OVER () FROM shipments
SELECT region FROM depots UNION SELECT region FROM targets EXCEPT SELECT 'x' INTERSECT SELECT origin FROM shipments
SELECT region FROM depots UNION SELECT region, goal FROM targets EXCEPT SELECT 'x' INTERSECT SELECT origin FROM shipments
SELECT region FROM depots UNION SELECT hours FROM depots EXCEPT SELECT 'x' INTERSECT SELECT origin FROM shipments
SELECT depot_id, opened FROM depots UNION ALL SELECT driver_id, hired_on FROM drivers ORDER BY opened LIMIT 5 OFFSET 2
SELECT depot_id, opened FROM depots UNION ALL SELECT driver_id, hired_on FROM drivers ORDER BY hired_on LIMIT 5 OFFSET 2
SELECT depot_id, opened FROM depots UNION ALL SELECT driver_id, languages FROM drivers ORDER BY opened LIMIT 5 OFFSET 2
SELECT to_timestamp('2024-01-01', 'yyyy-MM-dd'), to_date('01/02/2024', 'dd/MM/yyyy'), unix_timestamp(created_at), from_unixtime(1700000000), from_utc_timestamp(created_at, 'Europe/Berlin'), make_date(2024, 1, 2), make_timestamp(2024, 1, 2, 3, 4, 5.0), trunc(promised, 'MM'), hour(created_at), to_utc_timestamp(created_at, 'UTC'), current_timestamp() - INTERVAL 7 DAYS FROM shipments
SELECT to_timestamp('2024-01-01', 'yyyy-MM-dd'), to_date('01/02/2024', 'dd/MM/yyyy'), unix_timestamp(created_at), from_unixtime(1700000000), from_utc_timestamp(created_at, 'Europe/Berlin'), make_date(2024, 1), make_timestamp(2024, 1, 2, 3, 4, 5.0), trunc(promised, 'MM'), hour(created_at), to_utc_timestamp(created_at, 'UTC'), current_timestamp() - INTERVAL 7 DAYS FROM shipments
SELECT to_timestamp('2024-01-01', 'yyyy-MM-dd'), to_date('01/02/2024', 'dd/MM/yyyy'), unix_timestamp(created_at), from_unixtime(1700000000), from_utc_timestamp(created_at, 'Europe/Berlin'), make_date(2024, 1, 2), make_timestamp(2024, 1, 2, 3, 4, 5.0), trunc(promised), hour(created_at), to_utc_timestamp(created_at, 'UTC'), current_timestamp() - INTERVAL 7 DAYS FROM shipments
SELECT to_timestamp('2024-01-01', 'yyyy-MM-dd'), to_date('01/02/2024', 'dd/MM/yyyy'), unix_timestamp(created_at), from_unixtime(1700000000), from_utc_timestamp(created_at, 'Europe/Berlin'), make_date(2024, 1, 2), make_timestamp(2024, 1, 2, 3, 4, 5.0), trunc(promised, 'MM'), hour(driver_id), to_utc_timestamp(created_at, 'UTC'), current_timestamp() - INTERVAL 7 DAYS FROM shipments
SELECT to_timestamp('2024-01-01', 'yyyy-MM-dd'), to_date('01/02/2024', 'dd/MM/yyyy'), unix_timestamp(created_at), from_unixtime(1700000000), from_utc_timestamp(created_at), make_date(2024, 1, 2), make_timestamp(2024, 1, 2, 3, 4, 5.0), trunc(promised, 'MM'), hour(created_at), to_utc_timestamp(created_at, 'UTC'), current_timestamp() - INTERVAL 7 DAYS FROM shipments
SELECT to_timestamp('2024-01-01', 'yyyy-MM-dd'), to_date('01/02/2024', 'dd/MM/yyyy'), unix_timestamp(created_at), from_unixtime(1700000000), from_utc_timestamp(created_at, 'Europe/Berlin'), make_date(2024, 1, 2), make_timestamp(2024, 1, 2, 3, 4, 5.0), trunc(promised, 'MM'), hour(created_at), to_utc_timestamp(created_at, 'UTC'), current_timestamp() - INTERVAL 7 DAYZ FROM shipments
SELECT created_at > '2024-01-01' AND promised BETWEEN DATE'2024-01-01' AND DATE'2024-02-01', promised + INTERVAL '1-2' YEAR TO MONTH, delivered_at - created_at, promised - 3, promised + 1 FROM shipments
SELECT created_at > '2024-01-01' AND promised BETWEEN DATE'2024-01-01' AND DATE'2024-02-01', promised + INTERVAL '1-2' YEAR TO MONTH, delivered_at - created_at, promised - 3, promised + 1.5 FROM shipments
SELECT created_at > '2024-01-01' AND promised BETWEEN DATE'2024-01-01' AND DATE'2024-02-01', promised + INTERVAL '1-2' YEAR TO MONTH, delivered_at - created_at, promised * 3, promised + 1 FROM shipments
SELECT created_at > 20240101 AND promised BETWEEN DATE'2024-01-01' AND DATE'2024-02-01', promised + INTERVAL '1-2' YEAR TO MONTH, delivered_at - created_at, promised - 3, promised + 1 FROM shipments
SELECT stddev(cost), stddev_pop(cost), variance(weight_kg), corr(cost, weight_kg), covar_samp(cost, weight_kg), skewness(cost), kurtosis(cost), regr_slope(cost, weight_kg), mode(status), median(cost), any_value(origin), bool_or(cost > 1), every(cost > 0), bit_or(driver_id), min_by(status, cost), histogram_numeric(cost, 5) FROM shipments
SELECT stddev(cost), stddev_pop(cost), variance(weight_kg), corr(cost), covar_samp(cost, weight_kg), skewness(cost), kurtosis(cost), regr_slope(cost, weight_kg), mode(status), median(cost), any_value(origin), bool_or(cost > 1), every(cost > 0), bit_or(driver_id), min_by(status, cost), histogram_numeric(cost, 5) FROM shipments
SELECT stddev(cost), stddev_pop(cost), variance(weight_kg), corr(cost, weight_kg), covar_samp(cost, weight_kg), skewness(cost), kurtosis(cost), regr_slope(cost, weight_kg), mode(status), median(cost), any_value(origin), bool_or(cost), every(cost > 0), bit_or(driver_id), min_by(status, cost), histogram_numeric(cost, 5) FROM shipments
SELECT stddev(cost), stddev_pop(cost), variance(weight_kg), corr(cost, weight_kg), covar_samp(cost, weight_kg), skewness(cost), kurtosis(cost), regr_slope(cost, weight_kg), mode(status), median(status, 1), any_value(origin), bool_or(cost > 1), every(cost > 0), bit_or(driver_id), min_by(status, cost), histogram_numeric(cost, 5) FROM shipments
SELECT stddev(cost), stddev_pop(cost), variance(weight_kg), corr(cost, weight_kg), covar_samp(cost, weight_kg), skewness(cost), kurtosis(cost), regr_slope(cost, weight_kg), mode(status), median(cost), any_value(origin), bool_or(cost > 1), every(cost > 0), bit_or(cost), min_by(status, cost), histogram_numeric(cost, 5) FROM shipments
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY cost), percentile_disc(0.25) WITHIN GROUP (ORDER BY cost DESC), listagg(status, ',') WITHIN GROUP (ORDER BY status), string_agg(DISTINCT origin, ';') FROM shipments
SELECT percentile_cont(0.5), percentile_disc(0.25) WITHIN GROUP (ORDER BY cost DESC), listagg(status, ',') WITHIN GROUP (ORDER BY status), string_agg(DISTINCT origin, ';') FROM shipments
SELECT percentile_cont(50) WITHIN GROUP (ORDER BY cost), percentile_disc(0.25) WITHIN GROUP (ORDER BY cost DESC), listagg(status, ',') WITHIN GROUP (ORDER BY status), string_agg(DISTINCT origin, ';') FROM shipments
SELECT COUNT(*) FILTER (WHERE status = 'late') AS late, SUM(cost) FILTER (WHERE origin IN ('A', 'B')) FROM shipments
SELECT COUNT(*) FILTER (WHERE state = 'late') AS late, SUM(cost) FILTER (WHERE origin IN ('A', 'B')) FROM shipments
SELECT COUNT(*) FILTER (WHERE status = 'late') AS late, SUM(cost) FILTER (WHERE cost) FROM shipments
SELECT origin, SUM(cost) AS c FROM shipments GROUP BY ALL HAVING c > 100
SELECT * FROM shipments TABLESAMPLE (5 PERCENT) WHERE cost > 10
SELECT * FROM shipments TABLESAMPLE (5 PERCENT) WHERE price > 10
SELECT /*+ BROADCAST(d) */ s.shipment_id FROM shipments s JOIN drivers d ON s.driver_id = d.driver_id
SELECT driver_id, SUM(cost) FROM shipments WHERE SUM(cost) > 10 GROUP BY driver_id
SELECT driver_id FROM shipments GROUP BY driver_id ORDER BY SUM(cost) DESC, driver_id
SELECT driver_id FROM shipments GROUP BY driver_id ORDER BY cost DESC, driver_id
SELECT DISTINCT origin FROM shipments ORDER BY cost
SELECT origin o, destination FROM shipments WHERE o = 'x'
SELECT cost * 2 AS dbl, dbl + 1 AS more FROM shipments
SELECT named_struct('a', 1, 'b', 'x').a, struct(cost, status).cost, struct(1, 2).col1, array(1, 2)[0], map('k', 1)['k'], (1, 2) FROM shipments
SELECT named_struct('a', 1, 'b', 'x').a, struct(cost, status).cost, struct(1, 2).c1, array(1, 2)[0], map('k', 1)['k'], (1, 2) FROM shipments
SELECT named_struct('a', 1, 'b', 'x').a, struct(cost, status).cost, struct(1, 2).col1, array(1, 2)['a'], map('k', 1)['k'], (1, 2) FROM shipments
INSERT INTO targets SELECT region, '2024-01', 100, 1, 2, 3, 4 FROM depots
INSERT INTO targets SELECT region, '2024-01', 100, 1, 2, 3 FROM depots
INSERT INTO targets (region, goal) VALUES ('n', 10.5), ('s', 11)
INSERT INTO targets (region, goals) VALUES ('n', 10.5), ('s', 11)
INSERT INTO targets (region, goal) VALUES ('n', 10.5), ('s')
CREATE OR REPLACE TEMPORARY VIEW late AS SELECT * FROM shipments WHERE status = 'late'
CREATE OR REPLACE TEMPORARY VIEW late AS SELECT * FROM shipments WHERE stat = 'late'
SELECT year(promised) AS y, month(promised), COUNT(*) AS n FROM shipments GROUP BY year(promised), month(promised) ORDER BY y
SELECT year(promised) AS y, month(promised), COUNT(*) AS n FROM shipments GROUP BY year(promised) ORDER BY y
SELECT year(promised) AS y, day(promised), COUNT(*) AS n FROM shipments GROUP BY year(promised), month(promised) ORDER BY y
SELECT d.depot_name, COALESCE(SUM(s.cost), 0) AS total, ROUND(AVG(s.weight_kg), 2), DENSE_RANK() OVER (ORDER BY SUM(s.cost) DESC) AS rnk FROM depots d LEFT JOIN drivers r ON r.depot_id = d.depot_id LEFT JOIN shipments s ON s.driver_id = r.driver_id GROUP BY d.depot_id, d.depot_name HAVING SUM(s.cost) > 0 ORDER BY rnk
SELECT d.depot_name, COALESCE(SUM(s.cost), 0) AS total, ROUND(AVG(s.weight_kg), 2), DENSE_RANK() OVER (ORDER BY SUM(s.cost) DESC) AS rnk FROM depots d LEFT JOIN drivers r ON r.depot_id = d.depot_id LEFT JOIN shipments s ON s.driver_id = r.driver_id GROUP BY d.depot_id HAVING SUM(s.cost) > 0 ORDER BY rnk
SELECT d.depot_name, COALESCE(SUM(s.cost), 0) AS total, ROUND(AVG(s.weight_kg), 'two'), DENSE_RANK() OVER (ORDER BY SUM(s.cost) DESC) AS rnk FROM depots d LEFT JOIN drivers r ON r.depot_id = d.depot_id LEFT JOIN shipments s ON s.driver_id = r.driver_id GROUP BY d.depot_id, d.depot_name HAVING SUM(s.cost) > 0 ORDER BY rnk
SELECT depot_id, COALESCE(SUM(s.cost), 0) AS total, ROUND(AVG(s.weight_kg), 2), DENSE_RANK() OVER (ORDER BY SUM(s.cost) DESC) AS rnk FROM depots d LEFT JOIN drivers r ON r.depot_id = d.depot_id LEFT JOIN shipments s ON s.driver_id = r.driver_id GROUP BY d.depot_id, d.depot_name HAVING SUM(s.cost) > 0 ORDER BY rnk
SELECT driver_id FROM drivers JOIN shipments ON drivers.driver_id = shipments.driver_id
SELECT * FROM drivers d, shipments s WHERE d.driver_id = s.driver_id AND s.cost > (SELECT AVG(cost) FROM shipments)
SELECT * FROM drivers d, shipments s WHERE d.driver_id = s.driver_id AND s.cost > (SELECT AVG(cost), 1 FROM shipments)
SELECT * FROM drivers d, shipments s WHERE d.driver_id = s.driver_id AND s.cost > (SELECT labels FROM shipments LIMIT 1)
SELECT full_name FROM drivers WHERE full_name LIKE '%a' OR full_name RLIKE '^b' OR full_name ILIKE ANY ('x%', 'y%') OR NOT is_active
SELECT full_name FROM drivers WHERE full_name LIKE '%a' OR full_name RLIKE '^b' OR full_name ILIKE ANY ('x%', 'y%') OR NOT rating
SELECT full_name FROM drivers WHERE full_name LIKE '%a' OR full_name REGEXP_LIKE '^b' OR full_name ILIKE ANY ('x%', 'y%') OR NOT is_active
SELECT full_name FROM drivers WHERE full_name LIKE '%a' OR full_name SIMILAR TO '^b' OR full_name ILIKE ANY ('x%', 'y%') OR NOT is_active
SELECT stack(2, 'q1', q1, 'q2', q2) AS (quarter, n) FROM targets
SELECT stack(2, 'q1', q1, 'q2', q2) AS (quarter, n, m) FROM targets
SELECT region, stack(2, 'q1', q1, 'q2', q2) AS (quarter, n) FROM targets WHERE quarter = 'q1'
SELECT TRANSFORM(region, month) USING 'cat' AS (a STRING, b STRING) FROM targets
SELECT md5(licence), sha2(licence, 256), crc32(licence), base64(payload), hex(driver_id), xxhash64(licence, driver_id), uuid(), rand(), hash(licence), unbase64(licence), bin(driver_id), conv('ff', 16, 10) FROM drivers, invoices
SELECT md5(licence), sha2(licence), crc32(licence), base64(payload), hex(driver_id), xxhash64(licence, driver_id), uuid(), rand(), hash(licence), unbase64(licence), bin(driver_id), conv('ff', 16, 10) FROM drivers, invoices
SELECT md5(languages), sha2(licence, 256), crc32(licence), base64(payload), hex(driver_id), xxhash64(licence, driver_id), uuid(), rand(), hash(licence), unbase64(licence), bin(driver_id), conv('ff', 16, 10) FROM drivers, invoices
SELECT md5(licence), sha256(licence), crc32(licence), base64(payload), hex(driver_id), xxhash64(licence, driver_id), uuid(), rand(), hash(licence), unbase64(licence), bin(driver_id), conv('ff', 16, 10) FROM drivers, invoices
SELECT round(cost, 1), bround(cost), ceil(cost), floor(cost, -1), power(weight_kg, 2), sqrt(weight_kg), log(10, weight_kg), ln(weight_kg), exp(1), abs(cost), sign(cost), pmod(driver_id, 3), width_bucket(cost, 0, 100, 10), cbrt(weight_kg), format_number(cost, 2), mod(driver_id, 2) FROM shipments
SELECT round(cost, 1), bround(cost), ceil(cost), floor(cost, -1), power(weight_kg), sqrt(weight_kg), log(10, weight_kg), ln(weight_kg), exp(1), abs(cost), sign(cost), pmod(driver_id, 3), width_bucket(cost, 0, 100, 10), cbrt(weight_kg), format_number(cost, 2), mod(driver_id, 2) FROM shipments
SELECT round(cost, 1), bround(cost), ceil(cost), floor(cost, -1), power(weight_kg, 2), sqrt(weight_kg), log(10, weight_kg), ln(weight_kg), exp(1), abs(cost), sign(cost), pmod(driver_id, 3), width_bucket(cost, 0, 100, 10), cbrt(weight_kg), format_number(cost), mod(driver_id, 2) FROM shipments
SELECT round(cost, 1), bround(cost), ceil(cost), floor(cost, -1), power(weight_kg, 2), sqrt(created_at), log(10, weight_kg), ln(weight_kg), exp(1), abs(cost), sign(cost), pmod(driver_id, 3), width_bucket(cost, 0, 100, 10), cbrt(weight_kg), format_number(cost, 2), mod(driver_id, 2) FROM shipments
SELECT round(cost, 1), bround(cost), ceil(cost), floor(cost, -1), power(weight_kg, 2), sqrt(weight_kg), log(10, weight_kg), ln(weight_kg), exp(1), abs(cost), sign(cost), pmod(driver_id, 3), width_bucket(cost, 0, 100), cbrt(weight_kg), format_number(cost, 2), mod(driver_id, 2) FROM shipments
SELECT approx_percentile(cost, array(0.25, 0.5, 0.75)) AS q, approx_top_k(status, 3) FROM shipments
SELECT approx_percentile(cost, array('a')) AS q, approx_top_k(status, 3) FROM shipments
SELECT IF(GROUPING(origin) = 1, 'all', origin) AS o, SUM(cost) FROM shipments GROUP BY CUBE (origin, status)
SELECT parcels[0].code, parcels.grams, element_at(parcels, 1).value, size(parcels), parcels[0]['code'] FROM shipments WHERE size(parcels) > 0
SELECT parcels[0].code, parcels.gram, element_at(parcels, 1).value, size(parcels), parcels[0]['code'] FROM shipments WHERE size(parcels) > 0
SELECT parcels['a'].code, parcels.grams, element_at(parcels, 1).value, size(parcels), parcels[0]['code'] FROM shipments WHERE size(parcels) > 0
SELECT shipment_id, explode_outer(labels) AS label FROM shipments WHERE label = 'x'
SELECT shipment_id, label FROM (SELECT shipment_id, explode_outer(labels) AS label FROM shipments) WHERE label = 'x'
SELECT shipment_id, label FROM (SELECT shipment_id, explode_outer(labels) AS label, explode(parcels) FROM shipments) WHERE label = 'x'
MERGE INTO targets t USING (SELECT region, '2024-01' AS month, 5 AS goal FROM depots) s ON t.region = s.region AND t.month = s.month WHEN MATCHED THEN UPDATE SET goal = s.goal WHEN NOT MATCHED THEN INSERT (region, month, goal) VALUES (s.region, s.month, s.goal)
MERGE INTO targets t USING (SELECT region, '2024-01' AS month, 5 AS goal FROM depots) s ON t.region = s.region AND t.month = s.month WHEN MATCHED THEN UPDATE SET target = s.goal WHEN NOT MATCHED THEN INSERT (region, month, goal) VALUES (s.region, s.month, s.goal)
MERGE INTO targets t USING (SELECT region, '2024-01' AS month, 5 AS goal FROM depots) s ON t.region = s.region AND t.month = s.month WHEN MATCHED THEN UPDATE SET goal = s.goal WHEN NOT MATCHED THEN INSERT (region, month, goal) VALUES (s.region, s.month, s.amount)
FROM shipments |> WHERE cost > 10 |> AGGREGATE SUM(cost) AS c GROUP BY origin |> ORDER BY c DESC |> LIMIT 3
FROM shipments |> WHERE cost > 10 |> AGGREGATE SUM(cost) AS c GROUP BY origin |> ORDER BY cost DESC |> LIMIT 3
FROM shipments |> WHERE cost > 10 |> AGGREGATE SUM(cost) AS c GROUP BY orig |> ORDER BY c DESC |> LIMIT 3
SELECT current_date, current_user(), current_timestamp, now(), localtimestamp(), curdate(), version(), current_catalog()
SELECT count_min_sketch(driver_id, 0.1, 0.9, 1), bitmap_construct_agg(driver_id) FROM shipments
SELECT assert_true(cost > 0), raise_error('x'), typeof(cost), equal_null(cost, 1), cost <=> NULL, isnull(cost), isnotnull(cost), isnan(weight_kg), cost IS DISTINCT FROM 3 FROM shipments
SELECT assert_true(cost > 0), raise_error('x'), typeof(cost), equal_null(cost, 1), cost <=> NULL, isnull(cost, 0), isnotnull(cost), isnan(weight_kg), cost IS DISTINCT FROM 3 FROM shipments
SELECT assert_true(cost > 0), raise_error('x'), typeof(cost), equal_null(cost, 1), cost <=> NULL, isnull(cost), isnotnull(cost), isnan(labels), cost IS DISTINCT FROM 3 FROM shipments
SELECT date_from_unix_date(10), timestamp_seconds(10), timestamp_millis(5), unix_date(promised), to_unix_timestamp(created_at), date_trunc('week', promised), dayofyear(promised), make_interval(1, 2), make_dt_interval(1), try_to_timestamp(status), convert_timezone('UTC', 'Europe/Berlin', created_at) FROM shipments
SELECT date_from_unix_date(10), timestamp_seconds(10), timestamp_millis(5), unix_date(promised), to_unix_timestamp(created_at), date_trunc(promised, 'week'), dayofyear(promised), make_interval(1, 2), make_dt_interval(1), try_to_timestamp(status), convert_timezone('UTC', 'Europe/Berlin', created_at) FROM shipments
SELECT date_from_unix_date(10), timestamp_seconds(10), timestamp_millis(5), unix_date(cost), to_unix_timestamp(created_at), date_trunc('week', promised), dayofyear(promised), make_interval(1, 2), make_dt_interval(1), try_to_timestamp(status), convert_timezone('UTC', 'Europe/Berlin', created_at) FROM shipments
SELECT date_from_unix_date(10), timestamp_second(10), timestamp_millis(5), unix_date(promised), to_unix_timestamp(created_at), date_trunc('week', promised), dayofyear(promised), make_interval(1, 2), make_dt_interval(1), try_to_timestamp(status), convert_timezone('UTC', 'Europe/Berlin', created_at) FROM shipments
SELECT url_encode(status), parse_url(status, 'HOST'), schema_of_json('{"a":1}'), from_csv(status, 'a INT').a, xpath_string(status, 'a/b'), to_char(cost, '999.99'), to_number('12', '99'), printf('%d', driver_id), format_string('%s', status), soundex(status), split_part(status, '-', 1), contains(status, 'a'), startswith(status, 'b'), endswith(status, 'c'), regexp_count(status, 'a'), regexp_substr(status, 'b') FROM shipments
SELECT url_encode(status), parse_url(status, 'HOST'), schema_of_json('{"a":1}'), from_csv(status, 'a INT').a, xpath_string(status, 'a/b'), to_char(cost, '999.99'), to_number('12', '99'), printf('%d', driver_id), format_string('%s', status), soundex(status), split_part(status, '-'), contains(status, 'a'), startswith(status, 'b'), endswith(status, 'c'), regexp_count(status, 'a'), regexp_substr(status, 'b') FROM shipments
SELECT url_encode(status), parse_url(status, 'HOST'), schema_of_json('{"a":1}'), from_csv(status, 'a INT').a, xpath_string(status, 'a/b'), to_char(cost, '999.99'), to_number('12', '99'), printf('%d', driver_id), format_string('%s', status), soundex(status), split_part(status, '-', 1), contains(status), startswith(status, 'b'), endswith(status, 'c'), regexp_count(status, 'a'), regexp_substr(status, 'b') FROM shipments
SELECT url_encode(status), parse_url(status, 'HOST'), schema_of_json('{"a":1}'), from_csv(status, 'a INT').b, xpath_string(status, 'a/b'), to_char(cost, '999.99'), to_number('12', '99'), printf('%d', driver_id), format_string('%s', status), soundex(status), split_part(status, '-', 1), contains(status, 'a'), startswith(status, 'b'), endswith(status, 'c'), regexp_count(status, 'a'), regexp_substr(status, 'b') FROM shipments
SELECT to_json(struct(d.*)) AS driver FROM drivers d
SELECT d.depot_id, collect_list(struct(d.*)) AS crew FROM drivers d GROUP BY d.depot_id
SELECT max(struct(p.ping_at, p.*)).speed FROM pings p GROUP BY p.driver_id
SELECT count(d.*) FROM drivers d
SELECT count(DISTINCT d.*) FROM drivers d
SELECT count(d.*, p.*) FROM drivers d JOIN depots p ON d.depot_id = p.depot_id
SELECT count(DISTINCT *) FROM depots
SELECT xxhash64(d.*) AS fingerprint FROM drivers d
SELECT md5(concat_ws('|', t.*)) FROM (SELECT region, month FROM targets) t
SELECT hash(*) FROM targets
SELECT coalesce(*) FROM (SELECT region, month FROM targets) t
SELECT greatest(t.*) FROM (SELECT q1, q2, q3, q4 FROM targets) t
SELECT least(*) FROM (SELECT q1, q2, q3, q4 FROM targets) t
SELECT array_max(array(t.*)) FROM (SELECT q1, q2, q3, q4 FROM targets) t
SELECT transform(array(t.*), q -> q * 2) FROM (SELECT q1, q2 FROM targets) t
SELECT struct(dest.*, status) FROM shipments
SELECT struct(dest.pos.*) FROM shipments
SELECT struct(missing.*) FROM shipments
SELECT struct(* EXCEPT (payload)) FROM invoices
SELECT d.* + 1 FROM drivers d
SELECT cast(d.* AS STRING) FROM (SELECT driver_id FROM drivers) d
SELECT first(d.*) FROM (SELECT driver_id FROM drivers) d
SELECT driver_id FROM drivers WHERE hash(*) % 100 < 5
SELECT status LIKE SOME ('late%', 'lost%') FROM shipments
SELECT shipment_id FROM shipments WHERE status NOT LIKE SOME ('late%', 'lost%')
SELECT shipment_id FROM shipments WHERE status ILIKE SOME ('LATE%')
SELECT shipment_id FROM shipments WHERE cost > SOME (SELECT amount FROM invoices)
SELECT shipment_id FROM shipments WHERE cost > ALL (SELECT amount FROM invoices)
SELECT some(is_active), any(is_active), every(is_active) FROM drivers
SELECT sum(*) FROM targets
SELECT upper(*) FROM (SELECT region FROM targets) t
-- Of an analyst of a web site
SELECT date_trunc('WEEK', at) AS week, count(DISTINCT visitor) FROM clicks GROUP BY 1 ORDER BY 1
SELECT page, percentile_approx(ms, 0.95), approx_count_distinct(visitor), mode(page) FROM clicks GROUP BY page
SELECT visitor, lead(at, 1) OVER (PARTITION BY visitor ORDER BY at) - at AS gap FROM clicks
SELECT visitor, sum(ms) OVER (PARTITION BY visitor ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM clicks
SELECT *, row_number() OVER (PARTITION BY visitor ORDER BY at DESC) AS rn FROM clicks QUALIFY rn = 1
SELECT query['utm'] AS utm, count(*) FROM clicks WHERE map_contains_key(query, 'utm') GROUP BY utm HAVING count(*) > 5
SELECT query.utm, agent.os, agent.build FROM clicks
SELECT agent.os, max(agent.version) FROM clicks GROUP BY agent.os
SELECT transform(path, p -> upper(p)), filter(path, (p, i) -> i > 0), exists(path, p -> p = 'a'), aggregate(path, 0, (acc, p) -> acc + length(p)) FROM clicks
SELECT transform(path, (a, b, c) -> a) FROM clicks
SELECT explode(path) AS step, visitor FROM clicks
SELECT visitor, step FROM clicks LATERAL VIEW explode(path) p AS step WHERE step <> ''
SELECT visitor, k, v FROM clicks LATERAL VIEW OUTER explode(query) q AS k, v
SELECT explode(page) FROM clicks
SELECT m.name, c.name, c.age FROM members m, LATERAL explode(m.children) AS t(c)
SELECT name, inline(children) FROM members
SELECT children.name, children[0].age, element_at(children, 1).name, size(children) FROM members
SELECT children.nickname FROM members
SELECT array_sort(path), array_join(path, '/'), sort_array(path, false), array_contains(path, 'x'), slice(path, 1, 2), flatten(array(path)), array_distinct(path) FROM clicks
SELECT array_contains(path, 3) FROM clicks
SELECT array_join(ms, ',') FROM clicks
SELECT get_json_object(body, '$.a'), from_json(body, 'a INT, b ARRAY<STRING>').b[0], json_tuple(body, 'a', 'b') FROM clicks
SELECT from_json(body, 'a INTT') FROM clicks
SELECT to_json(agent), to_json(query), schema_of_json('{"a": 1}'), json_array_length(body), to_json(ms) FROM clicks
SELECT map_keys(query), map_values(limits), map_filter(limits, (k, v) -> v > 1), transform_values(limits, (k, v) -> v * 2), map_concat(query, query) FROM clicks JOIN members USING (visitor)
SELECT map_filter(limits, v -> v > 1) FROM members
SELECT datediff(day, at), date_add(day, 7), add_months(day, 1), last_day(day), next_day(day, 'MON'), months_between(at, day) FROM clicks
SELECT datediff(WEEK, day, current_date()), dateadd(MONTH, 1, day), timestampdiff(HOUR, at, now()), date_diff(DAY, day, at) FROM clicks
SELECT datediff('WEEK', day, current_date()) FROM clicks
SELECT day + 1, day - 7, day - INTERVAL 1 MONTH, at + INTERVAL '1' DAY, day + ms FROM clicks
SELECT day + 1.5 FROM clicks
SELECT at + 1 FROM clicks
SELECT day > '2024-01-01', at < '2024-01-01 10:00:00', day = 'soon', ms = '12', page = 1 FROM clicks
SELECT day = 20240101 FROM clicks
SELECT ms = bot, bot = 1, bot + 1 FROM clicks
SELECT visitor FROM clicks WHERE ms
SELECT visitor FROM clicks WHERE page
SELECT visitor, page, count(*) FROM clicks GROUP BY visitor
SELECT visitor, count(*) FROM clicks GROUP BY ALL
SELECT visitor, ms + 1, count(*) FROM clicks GROUP BY visitor, ms
SELECT visitor, upper(page) FROM clicks GROUP BY visitor, lower(page)
SELECT visitor FROM clicks WHERE count(*) > 1
SELECT visitor, sum(count(*)) FROM clicks GROUP BY visitor
SELECT visitor, sum(count(*)) OVER () FROM clicks GROUP BY visitor
SELECT page, sum(price) FILTER (WHERE bot), count_if(ms > 100), bool_or(bot), any_value(page), max_by(page, ms), min_by(page) FROM clicks GROUP BY page
SELECT page, sum(page) FROM clicks GROUP BY page
SELECT sum(day), avg(at) FROM clicks
SELECT collect_list(struct(page, ms)), collect_set(agent), array_agg(ms), listagg(page, ',') WITHIN GROUP (ORDER BY page) FROM clicks
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms), percentile(ms, 0.5), median(score), stddev(ms), corr(ms, score), regr_slope(ms, score) FROM clicks
SELECT corr(page, bot) FROM clicks
SELECT plan, level, count(*), grouping_id() FROM members GROUP BY CUBE (plan, level)
SELECT plan, grouping(name) FROM members GROUP BY ROLLUP (plan)
SELECT * FROM (SELECT plan, level, monthly FROM members) PIVOT (sum(monthly) FOR level IN (1, 2, 3))
SELECT * FROM members UNPIVOT (val FOR what IN (monthly, level))
SELECT * FROM members UNPIVOT (val FOR what IN (name, level))
SELECT name FROM members m LEFT ANTI JOIN clicks c ON m.visitor = c.visitor
SELECT name, page FROM members m LEFT SEMI JOIN clicks c ON m.visitor = c.visitor
SELECT visitor FROM members m JOIN clicks c ON m.visitor = c.visitor
SELECT m.visitor FROM members m JOIN clicks USING (visitr)
SELECT name FROM members NATURAL JOIN clicks WHERE ms > level
SELECT name FROM members WHERE visitor IN (SELECT visitor, page FROM clicks)
SELECT name FROM members WHERE level > (SELECT avg(ms) FROM clicks c WHERE c.visitor = members.visitor)
SELECT name, (SELECT page FROM clicks c WHERE c.visitor = m.visitor) FROM members m
SELECT name FROM members WHERE EXISTS (SELECT 1 FROM clicks WHERE clicks.visitor = members.visitr)
SELECT visitor FROM clicks UNION SELECT name FROM members
SELECT visitor, ms FROM clicks UNION ALL SELECT visitor FROM members
SELECT ms FROM clicks UNION ALL SELECT agent FROM clicks
SELECT ms FROM clicks UNION ALL SELECT page FROM clicks
SELECT day FROM clicks EXCEPT SELECT born FROM members
SELECT query FROM clicks INTERSECT SELECT query FROM clicks
SELECT DISTINCT agent FROM clicks ORDER BY agent.os
SELECT DISTINCT page FROM clicks ORDER BY ms
SELECT page AS p, p || 'x' AS q FROM clicks WHERE q <> ''
SELECT page AS p, length(p) AS n FROM clicks
SELECT CAST(ms AS DATE) FROM clicks
SELECT CAST(page AS INT), CAST(at AS BIGINT), CAST(agent AS STRING), CAST(path AS STRING), try_cast(page AS DATE), CAST(bot AS INT), page::double FROM clicks
SELECT CAST(path AS INT) FROM clicks
SELECT CAST(ms AS MONEY) FROM clicks
SELECT split(page, '/')[0], regexp_extract(page, '(\\d+)', 1), regexp_replace(page, 'a', 'b'), page RLIKE '^a', substring(page FROM 2 FOR 3), instr(page, '/'), locate('/', page), left(page, 3), lpad(page, 5) FROM clicks
SELECT split(page) FROM clicks
SELECT regexp_extract(page, '(\\d+)', 1, 2) FROM clicks
SELECT concat_ws('-', page, path, ms), concat(page, ms, day), page || ms, format_string('%s-%d', page, ms), format_number(price, 2) FROM clicks
SELECT concat(page, path) FROM clicks
SELECT coalesce(ms, 0), nvl(page, 'x'), nvl2(page, 1, 2), nullif(ms, 0), ifnull(score, 0), if(bot, 1, 0), iff(bot, 1, 0) FROM clicks
SELECT if(ms, 1, 0) FROM clicks
SELECT coalesce(page, day), coalesce(ms, agent) FROM clicks
SELECT CASE WHEN ms > 1 THEN 'a' ELSE 0 END, CASE bot WHEN true THEN 1 END FROM clicks
SELECT CASE WHEN bot THEN path ELSE 'none' END FROM clicks
SELECT greatest(ms, price, score), least(page, ms), greatest(ms) FROM clicks
SELECT unix_timestamp(at), from_unixtime(ms), to_date(page), to_timestamp(page, 'yyyy'), date_format(at, 'yyyy-MM'), year(day), quarter(at), weekofyear(day), extract(HOUR FROM at), date_part('dow', day) FROM clicks
SELECT extract(FORTNIGHT FROM at) FROM clicks
SELECT year(ms) FROM clicks
SELECT to_char(price, '999.99'), to_number(page, '999'), try_divide(ms, 0), pmod(ms, 3), round(price, 1), bround(score), ceil(price, 1), width_bucket(score, 0, 10, 5) FROM clicks
SELECT round(page, 1), abs(page), sqrt(page), round(day) FROM clicks
SELECT ms / 0, ms % 2, ms div 2, -page, +day FROM clicks
SELECT agent = named_struct('os', 'x', 'version', 1), path = array('a'), query = map('a', 'b') FROM clicks
SELECT agent > struct('a', 1), path[0] > 1, path['a'] FROM clicks
SELECT md5(page), sha2(page, 256), base64(bin), hex(ms), unhex(page), crc32(page), xxhash64(*), hash(ms), uuid(), md5(ms) FROM clicks
SELECT sha2(page) FROM clicks
SELECT stack(2, 'a', ms, 'b', price) AS (k, v) FROM clicks
SELECT posexplode(path) AS (i, p), sequence(1, 3), posexplode(query) FROM clicks
SELECT sequence(day, current_date(), INTERVAL 1 DAY), sequence(1, 10, 2), sequence('a', 'b') FROM clicks
SELECT GROUP_CONCAT(page) FROM clicks
SELECT STRPOS(page, '/'), DATETRUNC('day', at) FROM clicks
SELECT json_extract(body, '$.a') FROM clicks
SELECT * FROM click
SELECT pge FROM clicks
SELECT c.page FROM clicks WHERE c.ms > 1
SELECT default.clicks.page FROM clicks
SELECT members.plan, t.page FROM members CROSS JOIN (SELECT page FROM clicks) t TABLESAMPLE (10 PERCENT)
SELECT /*+ BROADCAST(m) */ m.name FROM members m JOIN clicks c ON m.visitor = c.visitor LIMIT 10 OFFSET 5
SELECT page FROM clicks ORDER BY 2
SELECT page FROM clicks GROUP BY 1 ORDER BY count(*)
SELECT page FROM clicks LIMIT ms
SELECT window(at, '5 minutes').start AS w, count(*) FROM clicks GROUP BY window(at, '5 minutes')
SELECT ntile(4) OVER (ORDER BY ms), rank() OVER (PARTITION BY page), lag(ms, 1, 0) OVER (ORDER BY at), first(page) IGNORE NULLS OVER (ORDER BY at) FROM clicks
SELECT rank() FROM clicks
SELECT avg(ms) OVER (ORDER BY day RANGE BETWEEN 6 PRECEDING AND CURRENT ROW) FROM clicks
SELECT avg(ms) OVER (ORDER BY at RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW), avg(ms) OVER (ORDER BY page RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM clicks
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n
WITH c AS (SELECT visitor, count(*) AS n FROM clicks GROUP BY visitor) SELECT total FROM c
WITH c(v, n) AS (SELECT visitor, count(*) FROM clicks GROUP BY visitor) SELECT v, n, visitor FROM c
SELECT * EXCEPT (body, bin) FROM clicks
SELECT * EXCEPT (bdy) FROM clicks
FROM clicks |> WHERE ms > 1 |> AGGREGATE count(*) AS n GROUP BY page |> ORDER BY n DESC
FROM clicks |> SELECT pages
SELECT name, level FROM VALUES (1, 'a'), (2, 'b') AS t(level, name)
SELECT name FROM VALUES (1, 'a'), (2) AS t(level, name)
SELECT date '2024-02-30', timestamp '2024-01-01', interval 3 weeks
SELECT make_interval(1, 2), make_date(2024, 1), current_timezone(), monotonically_increasing_id(), input_file_name()
SELECT zip_with(path, path, (a, b) -> a || b), arrays_zip(path, array(1)), map_from_arrays(path, path), map_from_entries(array(struct('a', 1))), str_to_map(body), named_struct('a') FROM clicks
SELECT current_time, localtime, current_path
SELECT localtimestamp
SELECT hex(X 'F0'), X  '00'
SELECT upper(found) FROM VALUES (array(1)), (NULL) AS t(found)
SELECT size(found) FROM VALUES (1), (2) AS t(found)
SELECT found.b FROM VALUES (named_struct('a', 1)) AS t(found)
SELECT element_at(found, 'a') FROM VALUES (map('a', 1)) AS t(found)
SELECT found FROM VALUES (1), ('a') AS t(found)
SELECT found FROM VALUES (1), (2.5), (NULL) AS t(found)
SELECT 'a' COLLATE lower('b') = 'b'
SELECT 'a' COLLATE utf8_lcase = 'A'
SELECT listagg(X'00', NULL), listagg(X'00', X'01'), listagg('a', NULL)
SELECT listagg(X'00', ',')
SELECT transform(tags) FROM customers
SELECT transform(tags, t -> upper(t), 1, 1) FROM customers
SELECT DISTINCT transform() FROM customers
SELECT transform(tags, t -> upper(t)), transform(tags, (t, i) -> i) FROM customers
SELECT TRANSFORM(name, email, country) USING 'cat' FROM customers
SELECT TRANSFORM(name) USING 'cat' AS (a STRING) FROM customers
SELECT TRANSFORM(name, email, country) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' USING 'cat' FROM customers
SELECT aes_encrypt(name, email, 'ECB', 1, 1) FROM customers
SELECT aes_encrypt(name, email, 'GCM', 'NONE', X'01', email) FROM customers
SELECT randstr(5, 'a'), randstr(5, 1.5)
SELECT randstr(5, 3), current_time(3)
-- Written after Spark's documentation in 2026-11, before the rules were read, and what their faults led to.
SELECT carrier, COUNT(*) AS n, AVG(distance_km) AS avg_km FROM flights WHERE NOT cancelled GROUP BY carrier HAVING COUNT(*) > 100 ORDER BY n DESC
SELECT f.flight_no, a.city AS origin, b.city AS dest FROM flights f JOIN airports a ON f.dep_airport = a.iata JOIN airports b ON f.arr_airport = b.iata WHERE f.svc_date = DATE '2024-06-01'
SELECT flight_id, fare.cabin, fare.price FROM flights LATERAL VIEW explode(fares) x AS fare WHERE fare.seats > 0
SELECT flight_id, pos, code FROM flights LATERAL VIEW OUTER posexplode(delay_codes) d AS pos, code
SELECT k, COUNT(*) FROM flights LATERAL VIEW explode(meta) m AS k, v GROUP BY k
SELECT carrier, svc_date, (unix_timestamp(actual_dep) - unix_timestamp(sched_dep)) / 60 AS delay_min FROM flights
SELECT carrier, timestampdiff(MINUTE, sched_dep, actual_dep) AS delay FROM flights ORDER BY delay DESC NULLS LAST LIMIT 20
WITH d AS (SELECT carrier, svc_date, timestampdiff(MINUTE, sched_arr, actual_arr) AS delay FROM flights), r AS (SELECT carrier, svc_date, AVG(delay) AS avg_delay FROM d GROUP BY carrier, svc_date) SELECT carrier, svc_date, avg_delay, AVG(avg_delay) OVER (PARTITION BY carrier ORDER BY svc_date ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS ma7 FROM r
SELECT * FROM (SELECT carrier, year(svc_date) AS y, distance_km FROM flights) PIVOT (SUM(distance_km) AS km FOR y IN (2022, 2023, 2024))
SELECT * FROM (SELECT cabin, channel, fare FROM bookings) PIVOT (AVG(fare) AS avg_fare, COUNT(*) AS n FOR channel IN ('web' AS web, 'agent' AS agent))
SELECT passenger_id, cabin, fare FROM bookings QUALIFY ROW_NUMBER() OVER (PARTITION BY passenger_id ORDER BY booked_at DESC) = 1
SELECT p.full_name, COUNT(DISTINCT b.pnr) AS trips, SUM(b.fare) AS spend FROM passengers p LEFT JOIN bookings b USING (passenger_id) GROUP BY p.passenger_id, p.full_name ORDER BY spend DESC
SELECT b.contact.email, upper(b.cabin) FROM bookings b WHERE b.contact.phone IS NOT NULL AND array_contains(b.extras, 'wifi')
SELECT contact.* FROM bookings
SELECT pnr, contact.fax FROM bookings
SELECT loc.lat, loc.lon, loc.altitude FROM airports
SELECT iata, round(loc.elev * 3.28084, 0) AS feet FROM airports WHERE loc.elev > 1000
SELECT meter_id, date_trunc('HOUR', read_ts) AS hr, SUM(kwh) AS kwh FROM meter_reads GROUP BY meter_id, date_trunc('HOUR', read_ts)
SELECT meter_id, window.start, window.end, SUM(kwh) FROM meter_reads GROUP BY meter_id, window(read_ts, '15 minutes')
SELECT window, AVG(volts) AS v FROM meter_reads GROUP BY window(read_ts, '1 hour', '15 minutes')
SELECT meter_id, session_window.start AS s, COUNT(*) FROM meter_reads GROUP BY meter_id, session_window(read_ts, '30 minutes')
SELECT meter_id, max_by(kwh, read_ts) AS latest, min_by(read_ts, kwh) FROM meter_reads GROUP BY meter_id
SELECT m.meter_id, m.tariff.code, band.from_h, band.rate FROM meters m LATERAL VIEW explode(m.tariff.bands) b AS band
SELECT meter_id, transform(tariff.bands, b -> b.rate * 1.2) AS with_vat FROM meters
SELECT meter_id, filter(tariff.bands, b -> b.from_h >= 7 AND b.to_h <= 22) AS day_bands FROM meters
SELECT meter_id, aggregate(tariff.bands, CAST(0 AS DOUBLE), (acc, b) -> acc + b.rate) AS total_rate FROM meters
SELECT meter_id, exists(tags, t -> t LIKE 'zone%') AS zoned, forall(tags, t -> length(t) > 2) FROM meters
SELECT get_json_object(raw_json, '$.sensor.temp') AS temp, from_json(raw_json, 'temp DOUBLE, hum INT').hum AS hum FROM meter_reads
SELECT j.* FROM (SELECT from_json(raw_json, 'STRUCT<a: INT, b: ARRAY<STRING>>') AS j FROM meter_reads)
SELECT j.c FROM (SELECT from_json(raw_json, 'STRUCT<a: INT, b: ARRAY<STRING>>') AS j FROM meter_reads)
SELECT t.a, t.b FROM meter_reads LATERAL VIEW json_tuple(raw_json, 'a', 'b') t AS a, b
SELECT nm, role, salary, dense_rank() OVER (PARTITION BY role ORDER BY salary DESC) AS rk FROM crew
SELECT nm, salary - AVG(salary) OVER (PARTITION BY base) AS diff, ntile(4) OVER (ORDER BY salary) AS q FROM crew
WITH RECURSIVE chain(emp_no, lvl) AS (SELECT emp_no, 0 FROM crew WHERE boss_no IS NULL UNION ALL SELECT c.emp_no, ch.lvl + 1 FROM crew c JOIN chain ch ON c.boss_no = ch.emp_no) SELECT lvl, COUNT(*) FROM chain GROUP BY lvl
SELECT c.nm, b.nm AS boss FROM crew c LEFT JOIN crew b ON c.boss_no = b.emp_no WHERE c.base IN ('FRA', 'MUC')
SELECT base, collect_list(nm) AS names, array_join(sort_array(collect_set(role)), ', ') AS roles FROM crew GROUP BY base
SELECT base, concat_ws(';', collect_list(nm)) FROM crew GROUP BY base
SELECT nm, map_keys(certs), certs['b737'] AS b737 FROM crew WHERE map_contains_key(certs, 'b737')
SELECT nm, c.key, c.value FROM crew LATERAL VIEW explode(map_entries(certs)) t AS c
SELECT nm, lang FROM crew, LATERAL explode(langs) AS t(lang)
SELECT nm, l.lang FROM crew CROSS JOIN LATERAL explode(langs) AS l(lang) WHERE l.lang <> 'en'
SELECT emp_no, explode(langs) AS lang, explode(certs) FROM crew
SELECT f.carrier, percentile_approx(f.distance_km, 0.5) AS med, percentile(f.distance_km, array(0.1, 0.9)) FROM flights f GROUP BY f.carrier
SELECT carrier, approx_count_distinct(tail_num), count_if(cancelled) AS cx, bool_or(cancelled) FROM flights GROUP BY carrier
SELECT carrier, SUM(distance_km) FILTER (WHERE cancelled = false) AS flown FROM flights GROUP BY carrier
SELECT dep_airport, arr_airport, COUNT(*) FROM flights GROUP BY dep_airport, arr_airport WITH ROLLUP
SELECT dep_airport, arr_airport, grouping_id(), COUNT(*) FROM flights GROUP BY CUBE (dep_airport, arr_airport)
SELECT dep_airport, carrier, grouping(carrier) AS g, SUM(distance_km) FROM flights GROUP BY GROUPING SETS ((dep_airport), (dep_airport, carrier), ())
SELECT carrier, dep_airport, COUNT(*) FROM flights GROUP BY ALL ORDER BY ALL
SELECT full_name, months_between(current_date(), birth_dt) / 12 AS age FROM passengers WHERE birth_dt < add_months(current_date(), -216)
SELECT full_name, floor(datediff(current_date(), birth_dt) / 365.25) AS age FROM passengers
SELECT date_format(booked_at, 'yyyy-MM') AS ym, SUM(fare) FROM bookings GROUP BY 1 ORDER BY 1
SELECT last_day(svc_date), next_day(svc_date, 'MON'), trunc(svc_date, 'MM'), weekofyear(svc_date), dayofweek(svc_date) FROM flights
SELECT to_date(substring(pnr, 1, 8), 'yyyyMMdd') FROM bookings
SELECT booked_at AT TIME ZONE 'Europe/Berlin' FROM bookings
SELECT from_utc_timestamp(booked_at, 'Europe/Berlin'), to_utc_timestamp(booked_at, 'CET') FROM bookings
SELECT booked_at + INTERVAL 2 HOURS, booked_at - INTERVAL '1 3' DAY TO HOUR, refunded_on + 3 FROM bookings
SELECT svc_date + INTERVAL '1' MONTH AS nxt, sched_dep - actual_dep AS d FROM flights
SELECT pnr, CAST(fare AS INT), try_cast(channel AS INT), fare::STRING, bags::DOUBLE FROM bookings
SELECT pnr, CASE WHEN fare > 500 THEN 'high' WHEN fare > 100 THEN 'mid' ELSE 'low' END AS bucket, COUNT(*) OVER (PARTITION BY channel) FROM bookings
SELECT CASE channel WHEN 'web' THEN 1 WHEN 'app' THEN 'two' END FROM bookings
SELECT if(bags > 0, bags, 'none') FROM bookings
SELECT coalesce(contact.email, contact.phone, 'n/a'), nvl2(refunded_on, 'refunded', 'kept'), nullif(bags, 0) FROM bookings
SELECT passenger_id FROM passengers WHERE passenger_id NOT IN (SELECT passenger_id FROM bookings WHERE fare > 1000)
SELECT p.full_name FROM passengers p WHERE EXISTS (SELECT 1 FROM bookings b WHERE b.passenger_id = p.passenger_id AND b.cabin = 'F')
SELECT p.full_name, (SELECT MAX(b.fare) FROM bookings b WHERE b.passenger_id = p.passenger_id) AS max_fare FROM passengers p
SELECT p.full_name, (SELECT b.fare FROM bookings b WHERE b.passenger_id = p.passenger_id) AS max_fare FROM passengers p
SELECT p.* FROM passengers p LEFT ANTI JOIN bookings b ON p.passenger_id = b.passenger_id
SELECT p.full_name FROM passengers p LEFT SEMI JOIN bookings b ON p.passenger_id = b.passenger_id AND b.bags > 1
SELECT p.full_name, b.pnr FROM passengers p LEFT SEMI JOIN bookings b ON p.passenger_id = b.passenger_id
SELECT iata FROM airports EXCEPT SELECT dep_airport FROM flights
SELECT iata FROM airports INTERSECT SELECT arr_airport FROM flights UNION ALL SELECT dep_airport FROM flights ORDER BY iata
SELECT iata, name FROM airports UNION SELECT dep_airport FROM flights
SELECT iata FROM airports MINUS SELECT arr_airport FROM flights
SELECT * EXCEPT (raw_json) FROM meter_reads
SELECT * EXCEPT (raw_jsonb) FROM meter_reads
SELECT named_struct('a', 1, 'b', carrier) AS s, struct(flight_id, carrier).carrier FROM flights
SELECT array(1, 2, 3)[0], element_at(array('a', 'b'), 1), map('k', 1)['k'], map('k', 1).k
SELECT arrays_zip(delay_codes, delay_codes) AS z, array_distinct(delay_codes), cardinality(meta), size(delay_codes) FROM flights
SELECT flatten(collect_list(extras)) FROM bookings GROUP BY cabin
SELECT sequence(DATE '2024-01-01', DATE '2024-03-01', INTERVAL 1 MONTH) AS months
SELECT d, COUNT(f.flight_id) FROM (SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-31', INTERVAL 1 DAY)) AS d) cal LEFT JOIN flights f ON f.svc_date = cal.d GROUP BY d
SELECT regexp_replace(flight_no, '[^0-9]', '') AS num, regexp_extract(flight_no, '([A-Z]+)(\\d+)', 2) FROM flights
SELECT split(contact.email, '@')[1] AS domain, COUNT(*) FROM bookings GROUP BY split(contact.email, '@')[1]
SELECT split_part(contact.email, '@', 2) AS domain, COUNT(*) AS n FROM bookings GROUP BY domain HAVING n > 10
SELECT lpad(flight_no, 8, '0'), rpad(carrier, 4), initcap(dep_airport), translate(arr_airport, 'abc', 'xyz'), reverse(tail_num), instr(tail_num, 'D'), locate('D', tail_num) FROM flights
SELECT sha2(contact.email, 256), md5(contact.phone), crc32(pnr), hash(pnr, bags), xxhash64(pnr) FROM bookings
SELECT carrier, mode(dep_airport), median(distance_km), stddev(distance_km), corr(distance_km, flight_id), skewness(distance_km) FROM flights GROUP BY carrier
SELECT first(carrier), last(carrier, true), first_value(dep_airport) IGNORE NULLS, any_value(arr_airport) FROM flights
SELECT lag(kwh) OVER (PARTITION BY meter_id ORDER BY read_ts) AS prev, lead(kwh, 2, 0.0) OVER w AS nxt FROM meter_reads WINDOW w AS (PARTITION BY meter_id ORDER BY read_ts)
SELECT kwh, SUM(kwh) OVER (PARTITION BY meter_id ORDER BY read_ts RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW) FROM meter_reads
SELECT kwh, SUM(kwh) OVER (PARTITION BY meter_id ORDER BY quality RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM meter_reads
SELECT nth_value(kwh, 2) OVER (PARTITION BY meter_id ORDER BY read_ts), cume_dist() OVER (ORDER BY kwh), percent_rank() OVER (ORDER BY kwh) FROM meter_reads
SELECT SUM(kwh) OVER (ORDER BY day) AS run, SUM(SUM(kwh)) OVER (ORDER BY day) FROM meter_reads GROUP BY day
SELECT day, SUM(SUM(kwh)) OVER (ORDER BY day) AS run FROM meter_reads GROUP BY day
SELECT meter_id, kwh, rank() FROM meter_reads
SELECT meter_id FROM meter_reads WHERE row_number() OVER (ORDER BY kwh) = 1
SELECT meter_id FROM meter_reads WHERE SUM(kwh) > 5
SELECT meter_id, kwh FROM meter_reads GROUP BY meter_id
SELECT meter_id, SUM(kwh) AS s, s / COUNT(*) AS a FROM meter_reads GROUP BY meter_id
SELECT kwh * 2 AS dbl, dbl + 1 AS nxt FROM meter_reads WHERE dbl > 3
SELECT kwh * 2 AS dbl, dbl + 1 AS nxt FROM meter_reads
SELECT meter_id AS m, COUNT(*) FROM meter_reads GROUP BY m HAVING m LIKE 'A%' ORDER BY m
SELECT DISTINCT carrier FROM flights ORDER BY distance_km
SELECT DISTINCT carrier, dep_airport FROM flights ORDER BY carrier, upper(dep_airport)
SELECT carrier FROM flights DISTRIBUTE BY carrier SORT BY carrier DESC
SELECT carrier FROM flights CLUSTER BY carrier LIMIT 5
SELECT * FROM flights TABLESAMPLE (5 PERCENT) LIMIT 10 OFFSET 5
SELECT /*+ BROADCAST(a) */ f.flight_id FROM flights f JOIN airports a ON a.iata = f.dep_airport
SELECT * FROM VALUES (1, 'a'), (2, 'b') AS t(id, nm) WHERE id > 1
SELECT id * 2 FROM range(10)
SELECT id, nm FROM range(5) r JOIN crew c ON c.emp_no = r.id
SELECT stack(2, 'dep', dep_airport, 'arr', arr_airport) AS (kind, iata) FROM flights
SELECT flight_id, kind, iata FROM flights UNPIVOT (iata FOR kind IN (dep_airport, arr_airport))
SELECT * FROM flights UNPIVOT INCLUDE NULLS ((a, b) FOR what IN ((dep_airport, arr_airport) AS airports, (carrier, tail_num) AS ids))
SELECT flight_id, kind, iata FROM flights UNPIVOT (iata FOR kind IN (dep_airport, distance_km))
SELECT parse_json(raw_json):sensor.temp::double AS temp FROM meter_reads
SELECT variant_get(parse_json(raw_json), '$.a.b', 'int') FROM meter_reads
SELECT schema_of_json('{"a":1}'), to_json(struct(meter_id, kwh)) FROM meter_reads
SELECT inline(fares) FROM flights
SELECT flight_id, cabin, price FROM flights LATERAL VIEW inline(fares) i AS cabin, price, seats
SELECT flight_id, i.cabin FROM flights LATERAL VIEW inline(fares) i
SELECT fares.price FROM flights
SELECT fares[0].price, fares.price[0], fares[0].currency FROM flights
SELECT meta.gate, meta['terminal'] FROM flights
SELECT f.fares.cabin[0] FROM flights AS f WHERE size(f.fares) > 2
SELECT array_max(fares.price), array_min(transform(fares, x -> x.price)), array_sort(fares, (l, r) -> CASE WHEN l.price < r.price THEN -1 WHEN l.price > r.price THEN 1 ELSE 0 END) FROM flights
SELECT zip_with(delay_codes, delay_codes, (a, b) -> concat(a, b)), map_filter(meta, (k, v) -> v IS NOT NULL), transform_values(meta, (k, v) -> upper(v)) FROM flights
SELECT array_contains(delay_codes, 5) FROM flights
SELECT concat(carrier, flight_no, distance_km), carrier || '-' || flight_no FROM flights
SELECT distance_km + carrier FROM flights
SELECT carrier - 1, -carrier, distance_km / 0 FROM flights
SELECT date_add(svc_date, INTERVAL 1 DAY) FROM flights
SELECT date_add(MONTH, 2, svc_date), dateadd(DAY, -1, svc_date), datediff(DAY, svc_date, current_date()) FROM flights
SELECT datediff(svc_date, current_date(), 'day') FROM flights
SELECT DATE_TRUNC(svc_date, MONTH) FROM flights
SELECT date_trunc('month', svc_date), date_part('dow', svc_date), extract(DOW FROM svc_date) FROM flights
SELECT EXTRACT(EPOCH FROM booked_at) FROM bookings
SELECT strftime('%Y', booked_at) FROM bookings
SELECT TO_CHAR(booked_at, 'YYYY-MM'), to_char(fare, '999.99') FROM bookings
SELECT IFNULL(bags, 0), ISNULL(bags), isnotnull(bags), NVL(bags, 0) FROM bookings
SELECT ISNULL(bags, 0) FROM bookings
SELECT TOP 5 pnr FROM bookings
SELECT pnr FROM bookings FETCH FIRST 5 ROWS ONLY
SELECT pnr FROM bookings LIMIT 5, 10
SELECT GROUP_CONCAT(pnr) FROM bookings
SELECT STRING_AGG(pnr, ',') FROM bookings
SELECT string_agg(pnr, ',') WITHIN GROUP (ORDER BY booked_at) FROM bookings
SELECT listagg(DISTINCT channel, ',') WITHIN GROUP (ORDER BY channel) FROM bookings
SELECT ARRAY_AGG(pnr ORDER BY booked_at) FROM bookings
SELECT array_agg(pnr), array_agg(DISTINCT cabin) FROM bookings
SELECT COUNT(DISTINCT pnr, cabin), COUNT(DISTINCT *) FROM bookings
SELECT COUNTIF(fare > 10) FROM bookings
SELECT SAFE_DIVIDE(fare, bags) FROM bookings
SELECT try_divide(fare, bags), try_add(bags, 1), try_to_timestamp(channel), try_element_at(extras, 1) FROM bookings
SELECT pnr FROM bookings WHERE booked_at >= '2024-01-01' AND refunded_on < '2024-02-01' AND fare > '100'
SELECT pnr FROM bookings WHERE bags = 'two'
SELECT pnr FROM bookings WHERE contact = 'x'
SELECT pnr FROM bookings WHERE extras = 'wifi'
SELECT pnr FROM bookings WHERE extras IN ('wifi', 'meal')
SELECT pnr FROM bookings WHERE 'wifi' IN extras
SELECT pnr FROM bookings WHERE cabin ILIKE 'bus%' OR channel LIKE ANY ('web%', 'app%') OR channel RLIKE '^a'
SELECT pnr FROM bookings WHERE cabin SIMILAR TO 'B%'
SELECT pnr FROM bookings WHERE fare BETWEEN 10 AND '20' AND bags BETWEEN 1 AND 2
SELECT pnr FROM bookings WHERE bags
SELECT pnr FROM bookings WHERE refunded_on IS NULL AND NOT bags > 1 AND fare <=> 3
SELECT b.pnr, p.full_name FROM bookings b, passengers p WHERE b.passenger_id = p.passenger_id AND p.tier = 'gold'
SELECT b.pnr, passenger_id FROM bookings b JOIN passengers p ON b.passenger_id = p.passenger_id
SELECT passenger_id, country_cd FROM bookings NATURAL JOIN passengers
SELECT b.pnr FROM bookings b JOIN passengers p USING (passenger_id, country_cd)
SELECT flight_id, nm FROM flights JOIN assignments USING (flight_id) JOIN crew USING (emp_no) WHERE duty = 'PIC'
SELECT c.nm, SUM(a.block_minutes) / 60.0 AS hours FROM crew c JOIN assignments a ON a.emp_no = c.emp_no JOIN flights f ON f.flight_id = a.flight_id WHERE f.svc_date >= date_sub(current_date(), 28) GROUP BY c.emp_no, c.nm HAVING hours > 100
SELECT c.nm, f.carrier FROM crew c JOIN assignments a ON a.emp_no = c.emp_no JOIN flights f ON f.flight = a.flight_id
SELECT c.name FROM crew c
SELECT crew.nm FROM crew c
SELECT c.nm FROM crews c
SELECT a.* FROM crew c
SELECT nm FROM crew ORDER BY salry DESC
SELECT base, AVG(salary) FROM crew GROUP BY bse
SELECT emp_no FROM crew WHERE hired > DATE_SUB(CURRENT_DATE, INTERVAL 5 YEAR)
SELECT emp_no FROM crew WHERE hired > current_date - INTERVAL '5' YEAR
SELECT emp_no FROM crew WHERE hired > DATE '2020-13-01'
SELECT emp_no FROM crew WHERE year(hired) = 2020 AND quarter(hired) IN (1, 2) AND dayname(hired) = 'Mon'
SELECT make_date(2024, 1, 31), make_timestamp(2024, 1, 1, 0, 0, 0.0), make_interval(1, 2), make_dt_interval(1)
SELECT timestamp_seconds(1700000000), unix_micros(booked_at), date_from_unix_date(19000), to_unix_timestamp(booked_at) FROM bookings
SELECT width_bucket(fare, 0, 1000, 10), bround(fare, 1), pmod(bags, 2), greatest(bags, 1), least(bags, 2, 3), sign(fare), log10(fare), log(2, fare), factorial(bags) FROM bookings
SELECT greatest(bags, 'x') FROM bookings
SELECT round(fare, bags) FROM bookings
SELECT ceil(fare), floor(fare, 1), ceiling(fare, 0), trunc(fare) FROM bookings
SELECT mod(bags, 2), bags % 2, bags DIV 2, bags & 1, bags | 4, bags ^ 1, ~bags, shiftleft(bags, 2), bags << 1 FROM bookings
SELECT INITCAP(LOWER(full_name)), char_length(full_name), left(full_name, 2), right(full_name, 2), overlay(full_name PLACING 'x' FROM 2 FOR 1), position('a' IN full_name), trim(BOTH 'x' FROM full_name) FROM passengers
SELECT full_name, prefs['seat'] AS seat FROM passengers WHERE prefs['meal'] = 'veg' GROUP BY full_name, seat
SELECT tier, COUNT(*) AS n, SUM(miles) AS m, SUM(miles) / SUM(SUM(miles)) OVER () AS share FROM passengers GROUP BY tier
SELECT tier, COUNT(*) FROM passengers GROUP BY tier HAVING SUM(mile) > 10
SELECT tier, upper(country_cd), COUNT(*) FROM passengers GROUP BY tier, upper(country_cd) HAVING country_cd = 'DE'
SELECT tier, prefs, COUNT(*) FROM passengers GROUP BY tier, prefs
SELECT DISTINCT prefs FROM passengers
SELECT p.tier, b.cabin, AVG(b.fare) OVER (PARTITION BY p.tier, b.cabin) FROM passengers p INNER JOIN bookings b ON p.passenger_id = b.passenger_id AND b.refunded_on IS NULL
INSERT INTO airports (iata, name) VALUES ('XXX', 'Nowhere')
INSERT INTO airports SELECT iata, name FROM airports
INSERT OVERWRITE TABLE assignments SELECT emp_no, 1, 'x', 2 FROM crew
INSERT INTO assignments VALUES (1, 2, 'FO', 90), (2, 2, 'CPT', 95)
INSERT INTO assignments (emp_no, flight, duty) VALUES (1, 2, 'FO')
FROM flights |> WHERE cancelled |> AGGREGATE COUNT(*) AS n GROUP BY carrier |> ORDER BY n DESC |> LIMIT 3
FROM bookings |> EXTEND fare * 1.1 AS gross |> SET bags = bags + 1 |> SELECT pnr, gross |> WHERE gross > 100
FROM bookings |> AGGREGATE SUM(fare) GROUP BY cabin |> WHERE fare > 3
FROM flights |> JOIN airports ON dep_airport = iata |> DROP tz |> SELECT city, flight_no
FROM flights |> SELECT carrier, svc_date AS d |> PIVOT (COUNT(*) FOR carrier IN ('LH', 'UA'))
SELECT * FROM flights f LEFT JOIN LATERAL (SELECT MAX(b.fare) AS mx FROM bookings b WHERE b.flight_id = f.flight_id) m ON true
SELECT f.flight_id, m.mx FROM flights f, LATERAL (SELECT MAX(b.fare) AS mx FROM bookings b WHERE b.flight_id = f.flight_id) m
SELECT f.flight_id, m.mx FROM flights f, (SELECT MAX(b.fare) AS mx FROM bookings b WHERE b.flight_id = f.flight_id) m
WITH t AS (SELECT 1 AS a), t2 AS (SELECT a + 1 AS b FROM t) SELECT a, b FROM t CROSS JOIN t2
WITH t AS (SELECT carrier c FROM flights) SELECT carrier FROM t
WITH t(x, y) AS (SELECT carrier FROM flights) SELECT x FROM t
SELECT hll_sketch_estimate(hll_sketch_agg(tail_num)), bitmap_count(bitmap_construct_agg(bitmap_bit_position(flight_id))), histogram_numeric(distance_km, 5) FROM flights
SELECT regr_slope(kwh, volts), covar_pop(kwh, volts), kurtosis(kwh), try_avg(kwh), bit_and(quality), some(quality > 1), every(quality > 0) FROM meter_reads
SELECT grouping(meter_id) FROM meter_reads GROUP BY day
SELECT to_number('12', '99'), try_to_number('a', '99'), bin(5), hex(255), conv('ff', 16, 10), unhex('4D'), base64('x'), decode(encode('a', 'UTF-8'), 'UTF-8'), format_number(12345.678, 2), format_string('%d-%s', 1, 'a'), printf('%s', 'b'), soundex('x'), levenshtein('a', 'b'), substring_index('a.b', '.', 1), uuid(), rand(3), monotonically_increasing_id(), typeof(1), current_user(), current_catalog(), version()
SELECT crew.base, SUM(CASE WHEN role = 'CPT' THEN 1 ELSE 0 END) AS cpts, SUM(IF(role = 'FO', 1, 0)) AS fos FROM crew GROUP BY crew.base ORDER BY SUM(salary)
SELECT `carrier`, f.`flight_no` FROM flights AS f WHERE f.`svc_date` BETWEEN '2024-01-01' AND '2024-12-31'
SELECT "carrier" FROM flights WHERE carrier = "LH"
SELECT carrier AS 'c' FROM flights
SELECT count(*) cnt, max(struct(fare, pnr)).pnr AS top_pnr FROM bookings GROUP BY cabin
SELECT flight_id, sum(b.fare) OVER (PARTITION BY cabin) s FROM bookings b WHERE b.flight_id IN (SELECT flight_id FROM flights WHERE carrier = 'LH' AND svc_date > date'2024-01-01')
SELECT any_value(cabin), max(booked_at) FILTER (WHERE bags > 1), collect_list(struct(pnr, fare)) AS l FROM bookings GROUP BY passenger_id HAVING size(l) > 2
SELECT x.pnr FROM (SELECT passenger_id, collect_list(struct(pnr, fare)) AS l FROM bookings GROUP BY passenger_id) LATERAL VIEW explode(l) e AS x WHERE x.fare > 10
SELECT x.cabin FROM (SELECT passenger_id, collect_list(struct(pnr, fare)) AS l FROM bookings GROUP BY passenger_id) LATERAL VIEW explode(l) e AS x
SELECT and()
SELECT and(true, false)
SELECT or(true, false)
SELECT not()
SELECT not(true)
SELECT not(true, false)
SELECT date_add(d, 1, 2) FROM samples
SELECT date_add(1, 2, 3) FROM samples
SELECT dateadd(d, 1, 2) FROM samples
SELECT datediff(d, d, d) FROM samples
SELECT date_diff(a, d, d) FROM samples
SELECT timestampadd(a, 1, ts) FROM samples
SELECT between(a, 1) FROM samples
SELECT when() FROM samples
SELECT case(bo, a) FROM samples
SELECT current_time(1)
SELECT current_time()
SELECT current_date('a')
SELECT current_date(1)
SELECT sum(a) OVER (ORDER BY ts RANGE INTERVAL 1 DAY PRECEDING) FROM samples
SELECT sum(a) OVER (ORDER BY ts RANGE INTERVAL 1 DAY) FROM samples
SELECT sum(a) OVER (ORDER BY ts RANGE INTERVAL '1' DAY AND CURRENT ROW) FROM samples
SELECT sum(a) OVER (ORDER BY ts RANGE INTERVAL '1' DAY PRECEDING AND CURRENT ROW) FROM samples
SELECT sum(a) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '1' DAY AND CURRENT ROW) FROM samples
SELECT sum(a) OVER (ORDER BY a ROWS 1 PRECEDING) FROM samples
SELECT sum(a) OVER (ORDER BY a ROWS 1) FROM samples
SELECT s.z.* FROM samples
SELECT s.* FROM samples
SELECT s.x.* FROM samples
SELECT samples.s.* FROM samples
SELECT samples.zz.* FROM samples
SELECT zz.* FROM samples
FROM samples |> PIVOT (sum(a) FOR b IN ('x' 'y'))
FROM samples |> PIVOT (sum(a) max(c) FOR b IN ('x', 'y'))
FROM samples |> SELECT a, b, c |> PIVOT (sum(a) max(c) FOR b IN ('x', 'y'))
FROM samples |> SELECT a, b, c |> PIVOT (sum(a), max(c) FOR b IN ('x', 'y'))
SELECT count(*, 1) FROM samples
SELECT a FROM samples GROUP BY a HAVING count(*, 1) > 1
SELECT a FROM samples GROUP BY a HAVING count(*) > 1
SELECT a FROM samples GROUP BY a HAVING count(1, *) > 1
SELECT a FROM samples GROUP BY a HAVING count(DISTINCT *) > 1
SELECT a FROM samples GROUP BY a HAVING max(struct(*)) IS NULL
SELECT a FROM samples GROUP BY a HAVING count(samples.*) > 1
SELECT a FROM samples ORDER BY hash(*)
SELECT a FROM samples ORDER BY hash(samples.*)
SELECT a FROM samples GROUP BY a ORDER BY count(*)
SELECT a FROM samples GROUP BY a ORDER BY count(*, 1)
SELECT a FROM samples GROUP BY a ORDER BY count(DISTINCT *)
SELECT count(1) FROM samples GROUP BY hash(*)
SELECT count(1) FROM samples GROUP BY struct(*)
SELECT count(1) FROM sides GROUP BY struct(*)
SELECT samples.a FROM samples JOIN sides ON hash(*) = 1
SELECT samples.a FROM samples JOIN sides ON hash(samples.*) = hash(sides.*)
SELECT sum(a) OVER (ORDER BY hash(*)) FROM sides
SELECT sum(a) OVER (PARTITION BY struct(*)) FROM sides
SELECT a FROM sides SORT BY hash(*)
SELECT a FROM sides DISTRIBUTE BY hash(*)
SELECT a FROM sides CLUSTER BY hash(*)
SELECT a FROM sides QUALIFY hash(*) OVER () = 1
SELECT a FROM sides QUALIFY count(*) OVER () = 1
SELECT a FROM sides QUALIFY row_number() OVER (ORDER BY hash(*)) = 1
SELECT x FROM sides LATERAL VIEW explode(array(*)) e AS x
SELECT x FROM sides LATERAL VIEW explode(array(hash(*))) e AS x
SELECT CASE WHEN hash(*) > 1 THEN 1 END FROM sides
SELECT CAST(hash(*) AS STRING) FROM sides
SELECT hash(*) + 1 FROM sides
SELECT * IS NULL FROM sides
SELECT (*) FROM sides
SELECT coalesce(*) FROM sides
SELECT concat(*) FROM sides
SELECT array(*)[0] FROM sides
SELECT * + 1 FROM sides
SELECT 1 IN (*) FROM sides
SELECT a FROM sides WHERE a IN (*)
SELECT a FROM sides WHERE 1 IN (a, *)
SELECT a FROM sides LIMIT hash(*)
SELECT count(*) FILTER (WHERE hash(*) = 1) FROM sides
SELECT count(DISTINCT *) FILTER (WHERE a = 1) FROM sides
SELECT explode(array(*)) FROM sides
SELECT contact.email.* FROM bookings
SELECT b.contact.* FROM bookings b
SELECT b.contact.fax.* FROM bookings b
SELECT b.fax.* FROM bookings b
SELECT b.pnr.* FROM bookings b
SELECT pnr.* FROM bookings b
SELECT extras.* FROM bookings b
SELECT tariff.bands.* FROM meters
SELECT samples.arr.* FROM samples
SELECT fares.cabin.* FROM flights
SELECT j.* FROM (SELECT struct(1 AS a, struct(2 AS c) AS b) AS j)
SELECT j.b.* FROM (SELECT struct(1 AS a, struct(2 AS c) AS b) AS j)
SELECT j.b.c.* FROM (SELECT struct(1 AS a, struct(2 AS c) AS b) AS j)
SELECT j.z.* FROM (SELECT struct(1 AS a, struct(2 AS c) AS b) AS j)
SELECT q.j.b.* FROM (SELECT struct(1 AS a, struct(2 AS c) AS b) AS j) q
SELECT q.j.z.* FROM (SELECT struct(1 AS a, struct(2 AS c) AS b) AS j) q
SELECT struct(j.b.*) FROM (SELECT struct(1 AS a, struct(2 AS c) AS b) AS j) q
SELECT struct(j.z.*) FROM (SELECT struct(1 AS a, struct(2 AS c) AS b) AS j) q
SELECT array_agg(DISTINCT a, 1) FROM samples
SELECT sum(DISTINCT a, 1) FROM samples
SELECT count(DISTINCT a, 1) FROM samples
SELECT max(DISTINCT a, b) FROM samples
SELECT collect_set(DISTINCT a, b) FROM samples
SELECT mode() WITHIN GROUP (ORDER BY a, c) FROM samples
SELECT mode() WITHIN GROUP (ORDER BY a) FROM samples
SELECT listagg(b) WITHIN GROUP (ORDER BY a, c) FROM samples
SELECT string_agg(b, ',') WITHIN GROUP (ORDER BY a, c) FROM samples
SELECT s.x FROM samples GROUP BY x
SELECT s.x, count(*) FROM samples GROUP BY x
SELECT s.x, count(*) FROM samples GROUP BY x ORDER BY x
SELECT s.x, count(*) FROM samples GROUP BY x HAVING x > 1
SELECT s.x FROM samples ORDER BY x
SELECT s.x, x + 1 FROM samples
SELECT s.x FROM samples HAVING x > 1
SELECT s.x FROM samples WHERE x > 1
SELECT max(s.x) FROM samples GROUP BY x
SELECT window.start FROM samples GROUP BY window(ts, '1 hour')
SELECT w.start FROM (SELECT window AS w, count(*) AS n FROM samples GROUP BY window(ts, '1 hour'))
SELECT window(ts, '1 hour').start FROM samples
FROM samples |> a = 1
FROM samples |> foo a
FROM samples |> a
FROM samples |> AS x |> WHERE x.a = 1
FROM samples |> (SELECT 1)
SELECT 3 AS x, 4 AS y 5 AS z |> SELECT x
SELECT 3 AS x, 4 AS y 5 AS z
FROM samples |> SELECT a b c
FROM samples |> EXTEND a + 1 AS b2 a + 2 AS c2
FROM samples |> AGGREGATE sum(a) count(*) GROUP BY b
FROM samples |> ORDER BY a b
FROM samples |> SET a = 1 c = 2
FROM samples |> DROP a b
FROM samples |> LIMIT 1 2
SELECT * FROM samples PIVOT (sum(a) max(c) FOR b IN ('x', 'y'))
SELECT * FROM samples PIVOT (sum(a) FOR b IN ('x' 'y', 'z'))
SELECT * FROM samples PIVOT (sum(a) FOR b ('x', 'y'))
SELECT * FROM samples PIVOT (sum(a) b IN ('x', 'y'))
SELECT * FROM samples PIVOT (FOR b IN ('x', 'y'))
SELECT * FROM samples PIVOT (a FOR b IN ('x'))
SELECT * FROM samples PIVOT (sum(a) FOR zz IN ('x'))
SELECT * FROM samples PIVOT (sum(zz) FOR b IN ('x'))
SELECT * FROM samples PIVOT (sum(a), sum(a) FOR b IN ('x'))
SELECT * FROM samples PIVOT (sum(a) FOR (b, d) IN (('x', DATE '2024-01-01')))
SELECT not(a) FROM samples
SELECT not(bo, bo) FROM samples
SELECT NOT (a, b) FROM samples
SELECT NOT bo FROM samples
SELECT if(bo) FROM samples
SELECT if(bo, 1) FROM samples
SELECT if(bo, 1, 2, 3) FROM samples
SELECT `and`(bo, bo) FROM samples
SELECT `and`(bo) FROM samples
SELECT `not`(bo) FROM samples
SELECT current_timestamp(1)
SELECT current_time(7)
SELECT current_time('1')
SELECT current_time(1, 2)
SELECT current_timestamp('a')
SELECT date_trunc('month')
SELECT rand('a')
SELECT round(c, 'a') FROM samples
SELECT left(b, 'x') FROM samples
SELECT repeat(b, 'x') FROM samples
SELECT lpad(b, 'x', 'y') FROM samples
SELECT sequence(1, 'x')
SELECT array_repeat(b, 'x') FROM samples
SELECT element_at(arr, 'x') FROM samples
SELECT make_date('x', 1, 1)
SELECT add_months(d, 'x') FROM samples
SELECT date_add(d, 'x') FROM samples
FROM samples |> SELECT a, b
TABLE samples |> SELECT a AS x, b |> WHERE x > 1
FROM samples |> SELECT DISTINCT a
FROM samples |> SELECT *, a + 1 AS z |> WHERE z > 1
FROM samples |> SELECT samples.a, samples.s.x
FROM samples |> EXTEND a + 1 AS a1, a + 2 AS a2
FROM samples |> EXTEND a + 1 AS a1 |> EXTEND a1 * 2 AS a2 |> SELECT a1, a2
FROM samples |> EXTEND sum(a) OVER (PARTITION BY b) AS sa
FROM samples |> SET a = a + 1, c = c * 2
FROM samples |> SET a = sum(a) OVER ()
FROM samples |> DROP a, b
FROM samples |> DROP a |> SELECT b
FROM samples |> AS x |> SELECT x.a
FROM samples |> AS x |> JOIN sides AS y ON x.a = y.a |> SELECT x.b, y.k
FROM samples |> WHERE a > 1 AND b LIKE 'x%'
FROM samples |> LIMIT 5
FROM samples |> LIMIT 5 OFFSET 2
FROM samples |> ORDER BY a DESC NULLS LAST, b
FROM samples |> AGGREGATE sum(a)
FROM samples |> AGGREGATE sum(a) AS s, count(*) AS n
FROM samples |> AGGREGATE sum(a) AS s GROUP BY b
FROM samples |> AGGREGATE sum(a) AS s GROUP BY b, upper(b) AS ub
FROM samples |> AGGREGATE GROUP BY b
FROM samples |> AGGREGATE count(*) GROUP BY ROLLUP (b, a)
FROM samples |> AGGREGATE count(*) GROUP BY GROUPING SETS ((b), ())
FROM samples |> AGGREGATE count(*) FILTER (WHERE a > 1) AS n GROUP BY b |> WHERE n > 1 |> ORDER BY n
FROM samples |> JOIN sides USING (a)
FROM samples |> INNER JOIN sides ON samples.a = sides.a
FROM samples |> LEFT JOIN sides ON samples.a = sides.a |> SELECT k
FROM samples |> LEFT OUTER JOIN sides ON samples.a = sides.a
FROM samples |> RIGHT JOIN sides ON samples.a = sides.a
FROM samples |> FULL OUTER JOIN sides ON samples.a = sides.a
FROM samples |> CROSS JOIN sides
FROM samples |> NATURAL JOIN sides
FROM samples |> LEFT SEMI JOIN sides ON samples.a = sides.a
FROM samples |> LEFT ANTI JOIN sides ON samples.a = sides.a |> SELECT b
FROM samples |> JOIN LATERAL (SELECT k FROM sides WHERE sides.a = samples.a) x
FROM samples |> JOIN (SELECT * FROM sides) x ON x.a = samples.a
FROM sides |> UNION ALL (SELECT a, k FROM sides)
FROM samples |> TABLESAMPLE (10 PERCENT)
FROM samples |> TABLESAMPLE (5 ROWS)
FROM samples |> SELECT a, b |> PIVOT (sum(a) FOR b IN ('x', 'y'))
FROM samples |> SELECT a, b |> PIVOT (sum(a) AS s, count(*) AS n FOR b IN ('x' AS xx, 'y')) |> SELECT xx_s
FROM samples |> SELECT a, c |> UNPIVOT (v FOR k IN (a, c))
SELECT a FROM samples |> WHERE a > 1
SELECT a, b FROM samples WHERE a > 1 |> AGGREGATE sum(a) GROUP BY b
(SELECT a FROM samples) |> WHERE a > 1
WITH w AS (FROM samples |> WHERE a > 1) SELECT a FROM w
WITH w AS (SELECT a FROM samples) FROM w |> WHERE a > 1
SELECT * FROM (FROM samples |> WHERE a > 1 |> SELECT a)
SELECT a FROM samples WHERE a IN (FROM sides |> SELECT a)
FROM samples |> WHERE a IN (SELECT a FROM sides)
FROM samples |> WHERE EXISTS (TABLE sides |> WHERE sides.a = 1)
FROM samples |> LATERAL VIEW explode(arr) e AS item |> SELECT item
FROM samples LATERAL VIEW explode(arr) e AS item |> WHERE item > 1
FROM samples, sides |> WHERE samples.a = sides.a
FROM samples JOIN sides ON samples.a = sides.a |> SELECT samples.b
FROM range(10) |> WHERE id > 3 |> AGGREGATE sum(id)
FROM samples |> WINDOW w AS (PARTITION BY b) |> SELECT a
FROM samples |> WHERE a > 1 |> WHERE b = 'x' |> ORDER BY a |> LIMIT 1
FROM samples |> EXTEND 1 AS one |> AGGREGATE sum(one) AS n GROUP BY b |> EXTEND n * 2 AS nn |> DROP n
FROM samples |> SELECT a |> AS q |> JOIN sides ON q.a = sides.a |> AGGREGATE count(*) AS n GROUP BY k |> ORDER BY n DESC
FROM samples |> AGGREGATE sum(a) a, count(*) n GROUP BY b bb |> SELECT bb, n
FROM samples |> SELECT /*+ BROADCAST(sides) */ a
FROM samples |> EXTEND CASE WHEN a > 1 THEN 'x' ELSE 'y' END AS z |> AGGREGATE count(*) GROUP BY z
FROM samples |> SET b = upper(b) |> WHERE b = 'X'
FROM samples |> SET zz = 1
FROM samples |> DROP zz
FROM samples |> WHERE sum(a) > 1
FROM samples |> SELECT sum(a)
FROM samples |> EXTEND sum(a)
FROM samples |> AGGREGATE a GROUP BY b
FROM samples |> AGGREGATE sum(a) GROUP BY zz
FROM samples |> GROUP BY a
FROM samples |> HAVING a > 1
FROM samples |> SELECT a WHERE a > 1
FROM samples |> FROM sides
FROM samples |> SELECT a FROM samples
FROM samples |> QUALIFY row_number() OVER (ORDER BY a) = 1
FROM samples |> ORDER a
FROM samples |> AGGREGATE
FROM samples |> EXTEND
FROM samples |> JOIN
FROM samples |> LIMIT
FROM samples |> WHERE
|> WHERE a = 1
FROM samples SELECT a
FROM samples SELECT a WHERE a > 1
WITH q (SELECT 1 AS z) SELECT z FROM q
WITH q AS (SELECT 1 AS z), r (SELECT 2 AS y) SELECT z FROM q
WITH q(z) (SELECT 1) SELECT z FROM q
SELECT array((1), (SELECT 1))
SELECT k FROM sides AS k WHERE k = 'x'
SELECT s.x FROM samples AS s
SELECT s.a FROM samples AS s
SELECT a FROM samples GROUP BY a,
SELECT coalesce(a, ) FROM samples
SELECT a, FROM samples
SELECT a, b, grouping_id() FROM samples GROUP BY CUBE (a, b)
SELECT a, b, grouping_id(a, b) FROM samples GROUP BY CUBE (a, b)
SELECT a, b, grouping_id(b, a) FROM samples GROUP BY CUBE (a, b)
SELECT a, b, grouping_id(a) FROM samples GROUP BY CUBE (a, b)
SELECT a, b, grouping_id(a, b) FROM samples GROUP BY a, b WITH ROLLUP
SELECT a, b, grouping_id(a) FROM samples GROUP BY a, b WITH ROLLUP
SELECT a, b, grouping_id(a, b) FROM samples GROUP BY GROUPING SETS ((a), (a, b), ())
SELECT a, b, grouping_id(a, b) FROM samples GROUP BY GROUPING SETS ((b), (a, b), ())
SELECT a, b, grouping_id(b, a) FROM samples GROUP BY GROUPING SETS ((b), (a, b), ())
SELECT a, b, grouping_id(a, b) FROM samples GROUP BY a, b GROUPING SETS ((b), (a, b), ())
SELECT a, b, grouping_id(b, a) FROM samples GROUP BY a, b GROUPING SETS ((b), (a, b), ())
SELECT a, b, grouping_id(samples.a, b) FROM samples GROUP BY ROLLUP (a, b)
SELECT a, b, grouping_id(a, b) FROM samples GROUP BY a, ROLLUP (b)
SELECT a, b, grouping_id(b) FROM samples GROUP BY a, ROLLUP (b)
SELECT a, b, c, grouping_id(a, b, c) FROM samples GROUP BY ROLLUP (a, b), CUBE (c)
SELECT a, upper(b), grouping_id(a, upper(b)) FROM samples GROUP BY ROLLUP (a, upper(b))
SELECT a AS x, grouping_id(x) FROM samples GROUP BY ROLLUP (x)
SELECT a AS x, grouping_id(a) FROM samples GROUP BY ROLLUP (x)
SELECT a, grouping_id(a) FROM samples GROUP BY a
SELECT a, grouping(a) FROM samples GROUP BY a
SELECT a, grouping_id() FROM samples GROUP BY a
SELECT a, b FROM samples GROUP BY ROLLUP (a, b) HAVING grouping_id(a, b) = 1
SELECT a, b FROM samples GROUP BY ROLLUP (a, b) HAVING grouping_id(b) = 1
SELECT a, b FROM samples GROUP BY ROLLUP (a, b) ORDER BY grouping_id(b)
SELECT a, b FROM samples GROUP BY ROLLUP (a, b) ORDER BY grouping_id(a, b)
SELECT a, b, grouping_id(a, b) FROM samples GROUP BY ROLLUP (1, 2)
SELECT count(*) FROM samples LATERAL (SELECT 1 AS q)
SELECT count(*) FROM samples, LATERAL (SELECT 1 AS q)
SELECT count(*) FROM samples x LATERAL (SELECT 1 AS q)
SELECT count(*) FROM samples lateral
WITH w AS (1 AS q) SELECT 1
WITH w AS (1) SELECT 1
WITH w AS (VALUES (1)) SELECT col1 FROM w
WITH w AS ((SELECT 1 AS q)) SELECT q FROM w
WITH w AS (FROM samples) SELECT a FROM w
SELECT * FROM (SELECT a, c FROM samples) UNPIVOT ((v, w2) FOR k IN ((a c)))
SELECT * FROM (SELECT a, c FROM samples) UNPIVOT ((v, w2) FOR k IN ((a, c)))
SELECT * FROM (SELECT a, c FROM samples) UNPIVOT (v w2 FOR k IN (a, c))
SELECT * FROM (SELECT a, c FROM samples) UNPIVOT (v FOR k IN (a c))
SELECT * FROM (SELECT a, c FROM samples) UNPIVOT (v FOR k IN (a AS x, c AS y))
SELECT date_add(MONTH, 1)
SELECT date_add(MONTH, 1) FROM samples
SELECT date_sub(MONTH, 1) FROM samples
SELECT datediff(DAY, d) FROM samples
SELECT timestampdiff(DAY, ts) FROM samples
SELECT EXISTS (SELECT 1 sides WHERE sides.a = 1)
SELECT a FROM samples WHERE EXISTS (SELECT 1 sides WHERE sides.a = samples.a)
SELECT a FROM samples WHERE EXISTS (SELECT 1 WHERE samples.a = 1)
SELECT a FROM samples WHERE EXISTS (SELECT 1 AS sides WHERE sides = 1)
SELECT 1 AS sides WHERE sides = 1
SELECT 1 sides WHERE sides.a = 1
SELECT sides.a, struct(1 AS z) AS u2, u2.z FROM sides
SELECT struct(1 AS z) AS q, q.z FROM sides
SELECT struct(1 AS z) AS q FROM sides WHERE q.z = 1
SELECT struct(1 AS z) AS q FROM sides ORDER BY q.z
SELECT struct(a AS z) AS q FROM sides GROUP BY q HAVING q.z > 1
SELECT max(struct(a AS z)) AS q FROM sides HAVING q.z > 1
SELECT s AS q FROM samples WHERE q.x > 1
SELECT s AS q FROM samples ORDER BY q.x
SELECT s AS q, q.x FROM samples
SELECT s AS q FROM samples JOIN sides ON q.x = sides.a
SELECT (SELECT max(sides.a) FROM sides WHERE sides.a = q.x), s AS q FROM samples
SELECT title FROM products WHERE weight BETWEEN .1 AND .5 OR weight > .7
SELECT map_concat()
SELECT named_struct()
SELECT between(1, 2, 3)
SELECT between(1, 2)
SELECT when(true, 1)
SELECT when(true), when(true, 1, 2)
SELECT order_id FROM orders WHERE between(order_id, 1, 3) AND CASE WHEN (order_id = 1) THEN true ELSE false END
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY order_id, customer_id) FROM orders
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY order_id) FROM orders
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY order_id, customer_id) FROM orders
SELECT listagg(status) WITHIN GROUP (ORDER BY order_id, customer_id) FROM orders
SELECT string_agg(status, ',') WITHIN GROUP (ORDER BY order_id, customer_id) FROM orders
SELECT mode() WITHIN GROUP (ORDER BY order_id) FROM orders
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (sum(total), count(*) FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (round(sum(total), 2) FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (sum(total) + 1 FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (round(total) FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (lower(status) FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (total FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (1 FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (sum(total) FOR max(status) IN ('a'))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (sum(total) FOR upper(status) IN ('a'))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (sum(total) OVER () FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (row_number() OVER (ORDER BY total) FOR status IN ('a'))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (sum(total) FOR status IN (status))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (sum(total) FOR status IN (customer_id))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (sum(total) FOR status IN (foo))
SELECT * FROM (SELECT customer_id, status, total FROM orders) PIVOT (sum(total) FOR status IN (1, 2))
SELECT * FROM (SELECT CAST(status AS STRING), total FROM orders) PIVOT (sum(total) FOR status IN ('a', 'b'))
SELECT status FROM (SELECT CAST(status AS STRING), total FROM orders)
SELECT s.status FROM (SELECT CAST(status AS STRING) FROM orders) s
SELECT customer_id FROM (SELECT CAST(customer_id AS STRING) FROM orders) s
SELECT `CAST(customer_id AS STRING)` FROM (SELECT CAST(customer_id AS STRING) FROM orders) s
SELECT customer_id FROM (SELECT CAST(CAST(customer_id AS STRING) AS INT) FROM orders) s
SELECT customer_id FROM (SELECT try_cast(customer_id AS STRING) FROM orders) s
SELECT customer_id FROM (SELECT customer_id::STRING FROM orders) s
SELECT customer_id FROM (SELECT string(customer_id) FROM orders) s
SELECT customer_id FROM (SELECT int(customer_id) FROM orders) s
SELECT city FROM (SELECT CAST(address.city AS STRING) FROM customers) s
SELECT customer_id FROM (SELECT (customer_id) FROM orders) s
SELECT status, count(*) FROM orders GROUP BY status HAVING max(customer_id) > 10 ORDER BY count(*) DESC
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING max(customer_id) > 10 ORDER BY count(*) DESC
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING count(*) > 10 ORDER BY count(*) DESC
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING cnt > 10 ORDER BY count(*) DESC
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING status > 'a' ORDER BY count(*) DESC
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY max(total) DESC
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY sum(total) DESC
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY cnt DESC, sum(total)
SELECT status, count(*) AS cnt, sum(total) FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY sum(total)
SELECT status FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY count(*)
SELECT status, customer_id, count(*) AS cnt FROM orders GROUP BY status, customer_id HAVING max(total) > 10 ORDER BY count(*) DESC
SELECT status s, count(*) AS cnt FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY count(*) DESC
SELECT status, avg(total) AS a, count(*) AS cnt FROM orders GROUP BY status HAVING count(*) > 1 ORDER BY avg(total) DESC
SELECT status, count(*) AS cnt FROM orders GROUP BY 1 HAVING max(total) > 10 ORDER BY count(*) DESC
SELECT status, grouping(upper(status)) FROM orders GROUP BY ROLLUP(status)
SELECT status, grouping(cast(status AS STRING)) FROM orders GROUP BY CUBE(status)
SELECT upper(status), grouping(upper(status)) FROM orders GROUP BY ROLLUP(upper(status))
SELECT status, grouping(customer_id) FROM orders GROUP BY ROLLUP(status)
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY cnt
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY cnt + 1
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY status
SELECT count(*) AS cnt FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY status
SELECT count(*) AS cnt FROM orders GROUP BY status HAVING count(*) > 10 ORDER BY status
SELECT count(*) AS cnt FROM orders GROUP BY status ORDER BY status
SELECT count(*) AS cnt FROM orders GROUP BY status HAVING status > 'a' ORDER BY status
SELECT count(*) AS cnt FROM orders GROUP BY status HAVING status > 'a' ORDER BY max(total)
SELECT count(*) AS cnt FROM orders GROUP BY status HAVING count(*) > 1 ORDER BY max(total)
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING count(*) > 1 ORDER BY max(total)
SELECT status, count(*) + 1 AS cnt FROM orders GROUP BY status HAVING count(*) > 1 ORDER BY max(total)
SELECT status, count(*) + 1 AS cnt FROM orders GROUP BY status HAVING count(*) + 1 > 1 ORDER BY max(total)
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING cnt > 1 ORDER BY max(total)
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING count(*) > 1 AND max(total) > 3 ORDER BY count(*)
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING count(*) > 1 OR cnt < 3 ORDER BY sum(total)
SELECT upper(status) AS u, count(*) AS cnt FROM orders GROUP BY upper(status) HAVING upper(status) > 'a' ORDER BY sum(total)
SELECT count(*) AS cnt FROM orders GROUP BY upper(status) HAVING upper(status) > 'a' ORDER BY sum(total)
SELECT upper(status) AS u, count(*) AS cnt FROM orders GROUP BY upper(status) HAVING max(total) > 3 ORDER BY upper(status)
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY upper(status)
SELECT upper(status) AS s2 FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY status
SELECT upper(status) AS s2 FROM orders GROUP BY status HAVING count(*) > 10 ORDER BY upper(status)
SELECT o.status, count(*) AS cnt FROM orders o GROUP BY o.status HAVING max(o.total) > 10 ORDER BY o.status
SELECT o.status, count(*) AS cnt FROM orders o GROUP BY o.status HAVING max(o.total) > 10 ORDER BY count(*)
SELECT max(total) FROM orders HAVING count(*) > 1 ORDER BY max(total)
SELECT max(total) AS m FROM orders HAVING count(*) > 1 ORDER BY m
SELECT max(total) AS m FROM orders HAVING max(total) > 1 ORDER BY max(total)
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY 2
SELECT status, count(*) AS cnt FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY CASE WHEN cnt > 1 THEN 1 ELSE 2 END, status
SELECT DISTINCT status, count(*) AS cnt FROM orders GROUP BY status HAVING max(total) > 10 ORDER BY cnt
SELECT status, count(*) FROM orders GROUP BY status HAVING count(1) > 10 ORDER BY count(*)
SELECT status, count(order_id) FROM orders GROUP BY status HAVING count(*) > 10 ORDER BY count(order_id)
SELECT status, sum(total) AS s FROM orders GROUP BY status HAVING sum(total) > 10 ORDER BY sum(total) DESC
SELECT status, sum(total) AS s FROM orders GROUP BY status HAVING sum(total) / 2 > 10 ORDER BY sum(total) DESC
SELECT status, sum(total) AS s FROM orders GROUP BY status HAVING sum(orders.total) > 10 ORDER BY sum(total) DESC
SELECT status, sum(total) / 2 AS s FROM orders GROUP BY status HAVING sum(total) > 10 ORDER BY sum(total) / 2 DESC
SELECT status, sum(total) / 2 AS s FROM orders GROUP BY status HAVING sum(total) / 2 > 10 ORDER BY sum(total) / 2 DESC
SELECT status, sum(total) / count(*) AS s FROM orders GROUP BY status HAVING sum(total) / count(*) > 10 ORDER BY 1, sum(total) DESC
SELECT status, SUM(total) AS s FROM orders GROUP BY status HAVING sum(total) > 10 ORDER BY sum(total)
SELECT status, rank() OVER (ORDER BY sum(total)) AS r FROM orders GROUP BY status HAVING count(*) > 10 ORDER BY r
SELECT status, rank() OVER (ORDER BY sum(total)) AS r FROM orders GROUP BY status HAVING count(*) > 10 ORDER BY count(*)
SELECT status, count(*) c FROM orders GROUP BY status HAVING EXISTS (SELECT 1 FROM customers WHERE customer_id = 1) ORDER BY count(*)
SELECT status, count(*) c FROM orders GROUP BY status HAVING max(total) > (SELECT avg(total) FROM orders) ORDER BY count(*)
SELECT status, count(*) c FROM orders GROUP BY status HAVING max(total) > 1 QUALIFY row_number() OVER (ORDER BY count(*)) = 1
SELECT status, count(*) c FROM orders GROUP BY status HAVING max(total) > 1 SORT BY count(*)
SELECT status, customer_id, count(*) c FROM orders GROUP BY ALL HAVING max(total) > 1 ORDER BY count(*)
SELECT status, count(*) c FROM orders GROUP BY status WITH ROLLUP HAVING max(total) > 1 ORDER BY count(*)
SELECT status, count(*) c FROM orders GROUP BY ROLLUP(status) HAVING max(total) > 1 ORDER BY c
SELECT status, count(*) c FROM orders GROUP BY status HAVING status = 'a' OR customer_id > 1 ORDER BY count(*)
SELECT total + 1 AS a2, count(*) c FROM orders GROUP BY total HAVING total > 2 ORDER BY total
SELECT count(*) c FROM orders GROUP BY total HAVING total > 2 ORDER BY total + 1
SELECT count(*) c FROM orders GROUP BY total, status HAVING total > 2 ORDER BY status
SELECT count(*) c FROM orders GROUP BY total, status HAVING count(*) > 2 ORDER BY status, total
SELECT count(*) c FROM orders GROUP BY total, status HAVING max(status) > 'a' ORDER BY status, total
SELECT status, GROUPING(UPPER(status)) FROM orders GROUP BY ROLLUP(status)
SELECT UPPER(status), GROUPING(UPPER(status)) FROM orders GROUP BY ROLLUP(UPPER(status))
SELECT status, GROUPING(status) FROM orders GROUP BY status
SELECT status AS s, GROUPING(s) FROM orders GROUP BY ROLLUP(s)
SELECT UPPER(status) AS s, GROUPING(UPPER(status)) FROM orders GROUP BY ROLLUP(1)
SELECT status, GROUPING(1) FROM orders GROUP BY ROLLUP(status)
SELECT status, customer_id, GROUPING(customer_id) FROM orders GROUP BY GROUPING SETS ((status), (status, customer_id))
SELECT UPPER(status) AS s, GROUPING(UPPER(status)) FROM orders GROUP BY ROLLUP(s)
SELECT sku FROM (SELECT items[0].sku FROM orders)
SELECT col1 FROM (SELECT explode(array(1)) FROM orders)
SELECT col FROM (SELECT explode(array(1)) FROM orders)
SELECT customer_id + 1 FROM (SELECT CAST(customer_id AS BIGINT) FROM orders)
SELECT customer_id FROM (SELECT CAST(o.customer_id AS BIGINT) FROM orders o)
SELECT o.customer_id FROM (SELECT CAST(o.customer_id AS BIGINT) FROM orders o) o
SELECT customer_id FROM (SELECT date(customer_id) FROM orders o) o
SELECT ordered_at FROM (SELECT date(ordered_at) FROM orders o) o
SELECT ordered_at FROM (SELECT to_date(ordered_at) FROM orders o) o
SELECT ordered_at FROM (SELECT timestamp(ordered_at) FROM orders o) o
SELECT total FROM (SELECT double(total) FROM orders o) o
SELECT total FROM (SELECT decimal(total) FROM orders o) o
SELECT total FROM (SELECT bigint(total) FROM orders o) o
SELECT total FROM (SELECT float(total) FROM orders o) o
SELECT status FROM (SELECT binary(status) FROM orders o) o
SELECT status FROM (SELECT boolean(status) FROM orders o) o
SELECT status FROM (SELECT to_timestamp(status) FROM orders o) o
SELECT status FROM (SELECT smallint(status) FROM orders o) o
SELECT status FROM (SELECT tinyint(status) FROM orders o) o
SELECT CAST(status AS INT), status || 'a' FROM orders
SELECT CAST(customer_id AS DATE) FROM orders
WITH t AS (SELECT CAST(customer_id AS STRING), status FROM orders) SELECT t.customer_id, t.status FROM t
SELECT CAST(status AS INT), CAST(status AS DOUBLE) FROM orders ORDER BY status
SELECT status FROM (SELECT CAST(status AS INT), status FROM orders)
SELECT CAST((status) AS INT), 1 AS x FROM orders
SELECT status FROM (SELECT CAST((status) AS INT), 1 AS x FROM orders)
SELECT status FROM (SELECT (CAST(status AS INT)), 1 AS x FROM orders)
SELECT CAST(status AS INT) FROM orders UNION SELECT 1 ORDER BY status
SELECT CAST(status AS INT) FROM orders UNION SELECT 1 ORDER BY 1
SELECT name FROM (SELECT customer_id FROM orders) JOIN (SELECT CAST(customer_id AS STRING), name FROM customers) USING (customer_id)
SELECT x.status FROM (SELECT first(status) FROM orders) x
SELECT max(status) FROM (SELECT CAST(status AS INT) FROM orders GROUP BY status) x
SELECT sum(customer_id) OVER (PARTITION BY row_number() OVER (ORDER BY customer_id)) FROM orders
SELECT sum(customer_id) OVER (ORDER BY row_number() OVER (ORDER BY customer_id)) FROM orders
SELECT sum(row_number() OVER (ORDER BY customer_id)) OVER () FROM orders
SELECT sum(customer_id) OVER (PARTITION BY 1 + row_number() OVER (ORDER BY customer_id)) FROM orders
SELECT row_number() OVER (ORDER BY customer_id) AS rn, sum(customer_id) OVER (PARTITION BY rn) FROM orders
SELECT row_number() OVER (ORDER BY customer_id) AS rn, sum(customer_id) OVER (ORDER BY rn) FROM orders
SELECT row_number() OVER (ORDER BY customer_id) AS rn, sum(rn) OVER () FROM orders
SELECT rank() OVER (ORDER BY max(total)) FROM orders GROUP BY status
SELECT sum(customer_id) OVER (PARTITION BY lag(status) OVER (ORDER BY customer_id) ORDER BY status) FROM orders
SELECT and(true)
SELECT and(true, false)
SELECT or(true)
SELECT not(true)
SELECT not(true, false)
SELECT and(true, false, true)
SELECT current_time('a')
SELECT current_time(3)
SELECT current_time()
SELECT window.foo FROM (SELECT 1 AS a) GROUP BY a
SELECT window.start, count(*) FROM orders GROUP BY window(ordered_at, '1 day')
SELECT window.foo, count(*) FROM orders GROUP BY window(ordered_at, '1 day')
SELECT window.start FROM orders
SELECT window FROM orders
WITH w AS (TABLE orders) SELECT * FROM w
WITH w AS (TABLE orders) SELECT status FROM w
WITH w AS (TABLE orders) SELECT nosuch FROM w
WITH w AS (FROM orders) SELECT status FROM w
FROM orders |>
FROM orders |> WHERE total > 1 |>
SELECT * FROM orders WHERE ordered_at LIKE 'a%' >= current_timestamp()
SELECT * FROM orders WHERE status LIKE 'a%' = TRUE
SELECT * FROM orders WHERE status LIKE 'a%' || 'b'
SELECT * FROM orders WHERE status LIKE 'a%' AND TRUE
SELECT * EXCEPT (lag(email)) FROM customers
SELECT * EXCEPT (email, upper(name)) FROM customers
SELECT * EXCEPT (customers.email) FROM customers
SELECT * EXCEPT (1) FROM customers
SELECT order_id, inline(total) FROM orders
SELECT inline((SELECT max(items) FROM orders)) FROM orders
SELECT explode((SELECT max(customer_id) FROM orders)) FROM orders
SELECT explode(status) FROM orders
SELECT posexplode(total) FROM orders
SELECT status, count(*) c FROM orders GROUP BY status QUALIFY row_number() OVER (ORDER BY count(*)) = 1
SELECT status, count(*) c FROM orders GROUP BY status QUALIFY row_number() OVER (ORDER BY c) = 1
SELECT status, count(*) c, row_number() OVER (ORDER BY count(*)) AS r FROM orders GROUP BY status QUALIFY r = 1
SELECT status, sum(total) c FROM orders GROUP BY status QUALIFY rank() OVER (ORDER BY sum(total)) = 1
SELECT status, sum(total) c FROM orders GROUP BY status QUALIFY rank() OVER (ORDER BY status) = 1
SELECT status FROM orders GROUP BY status QUALIFY rank() OVER (ORDER BY sum(total)) = 1
SELECT status FROM orders GROUP BY status HAVING count(*) > 1 QUALIFY rank() OVER (ORDER BY status) = 1
SELECT status, count(*) c FROM orders GROUP BY status HAVING count(*) > 1 QUALIFY rank() OVER (ORDER BY count(*)) = 1
SELECT status, count(*) c FROM orders GROUP BY status QUALIFY count(*) > 1 AND rank() OVER (ORDER BY status) = 1
SELECT status, count(*) c FROM orders GROUP BY status QUALIFY rank() OVER (PARTITION BY upper(status) ORDER BY c) = 1
SELECT upper(status) u, count(*) c FROM orders GROUP BY upper(status) QUALIFY rank() OVER (ORDER BY upper(status)) = 1
SELECT upper(status) u, count(*) c FROM orders GROUP BY 1 QUALIFY rank() OVER (ORDER BY u) = 1
SELECT count(*) c FROM orders GROUP BY status QUALIFY rank() OVER (ORDER BY status) = 1
SELECT total * 2 AS d, sum(customer_id) OVER (ORDER BY d) FROM orders
SELECT total * 2 AS d, sum(d) OVER (ORDER BY customer_id) FROM orders
SELECT total * 2 AS d, sum(d) OVER (PARTITION BY d ORDER BY customer_id) FROM orders
SELECT status, sum(total) AS s, rank() OVER (ORDER BY s DESC) FROM orders GROUP BY status
SELECT status, sum(total) AS s, sum(s) OVER () FROM orders GROUP BY status
SELECT status, sum(total) AS s, s / sum(s) OVER () FROM orders GROUP BY status
SELECT date_trunc('month', ordered_at) AS m, lag(count(*)) OVER (ORDER BY m) FROM orders GROUP BY 1
SELECT date_trunc('month', ordered_at) AS m, count(*) AS c, lag(c) OVER (ORDER BY m) FROM orders GROUP BY 1
SELECT row_number() OVER (ORDER BY customer_id) AS rn, rn + 1 AS r2 FROM orders
SELECT row_number() OVER (ORDER BY customer_id) AS rn FROM orders WHERE rn = 1
SELECT count(*) AS c, c + 1 FROM orders
SELECT sum(total) AS s, max(s) FROM orders
SELECT total AS a, sum(a) FROM orders
SELECT total AS a, sum(a) FROM orders GROUP BY total
SELECT customer_id AS cid, (SELECT max(name) FROM customers WHERE customer_id = cid) FROM orders
SELECT status, sum(total) AS t, rank() OVER (ORDER BY sum(total)) AS rk FROM orders GROUP BY status ORDER BY sum(total)
SELECT status, sum(total) AS t, rank() OVER (ORDER BY sum(total)) AS rk FROM orders GROUP BY status HAVING sum(total) > 0 ORDER BY sum(total)
SELECT status, sum(total) AS t, rank() OVER (ORDER BY sum(total)) AS rk FROM orders GROUP BY status HAVING sum(total) > 0 ORDER BY t
SELECT status, sum(total) AS t, rank() OVER (ORDER BY sum(total)) AS rk FROM orders GROUP BY status HAVING status > 'a' ORDER BY sum(total)
SELECT status, sum(total) AS t, rank() OVER (ORDER BY status) AS rk FROM orders GROUP BY status HAVING sum(total) > 0 ORDER BY sum(total)
SELECT status, sum(total) AS t, sum(total) * 100 / sum(sum(total)) OVER () AS pct FROM orders GROUP BY status ORDER BY sum(total) DESC
SELECT status, sum(total) AS t, rank() OVER (ORDER BY sum(total)) AS rk FROM orders GROUP BY status ORDER BY max(total)
SELECT status, sum(total) AS t, rank() OVER (ORDER BY sum(total)) AS rk FROM orders GROUP BY status ORDER BY max(total), rk
SELECT status, rank() OVER (ORDER BY sum(total)) AS rk FROM orders GROUP BY status ORDER BY count(*)
SELECT status, rank() OVER (ORDER BY sum(total)) AS rk FROM orders GROUP BY status ORDER BY sum(total)
SELECT rank() OVER (ORDER BY sum(total)) AS rk FROM orders GROUP BY status ORDER BY status
SELECT status, sum(total) AS t, rank() OVER (ORDER BY sum(total)) AS rk FROM orders GROUP BY status HAVING rk > 1
SELECT first(status IGNORE NULLS) FROM orders
SELECT last(status IGNORE NULLS) FROM orders
SELECT any_value(status IGNORE NULLS) FROM orders
SELECT first_value(status IGNORE NULLS) FROM orders
SELECT last_value(status IGNORE NULLS) FROM orders
SELECT first(status RESPECT NULLS) FROM orders
SELECT last_value(status RESPECT NULLS) FROM orders
SELECT first_value(status RESPECT NULLS) FROM orders
SELECT first_value(status) IGNORE NULLS FROM orders
SELECT first(status) IGNORE NULLS FROM orders
SELECT nth_value(status, 2 IGNORE NULLS) OVER (ORDER BY ordered_at) FROM orders
SELECT lag(status IGNORE NULLS) OVER (ORDER BY ordered_at) FROM orders
SELECT lead(status IGNORE NULLS) OVER (ORDER BY ordered_at) FROM orders
SELECT lag(status) IGNORE NULLS OVER (ORDER BY ordered_at) FROM orders
SELECT lead(status) RESPECT NULLS OVER (ORDER BY ordered_at) FROM orders
SELECT first_value(status IGNORE NULLS) OVER (ORDER BY ordered_at) FROM orders
SELECT last(status IGNORE NULLS) OVER (ORDER BY ordered_at) FROM orders
SELECT first(status IGNORE NULLS) OVER (ORDER BY ordered_at) FROM orders
SELECT any_value(status IGNORE NULLS) OVER (ORDER BY ordered_at) FROM orders
SELECT nth_value(status, 2) IGNORE NULLS OVER (ORDER BY ordered_at) FROM orders
SELECT max(status) IGNORE NULLS OVER (ORDER BY ordered_at) FROM orders
SELECT sum(total) IGNORE NULLS FROM orders
SELECT collect_list(status IGNORE NULLS) FROM orders
SELECT collect_list(status) IGNORE NULLS FROM orders
SELECT array_agg(status IGNORE NULLS) FROM orders
SELECT max(status IGNORE NULLS) FROM orders
WITH t AS (SELECT name, name FROM customers) SELECT name FROM t
WITH t AS (SELECT c.name, name FROM customers c) SELECT name FROM t
WITH t AS (SELECT name AS n, name AS n FROM customers) SELECT n FROM t
WITH t AS (SELECT name, name AS name FROM customers) SELECT name FROM t
SELECT name FROM (SELECT name, name FROM customers)
SELECT name FROM (SELECT *, name FROM customers)
SELECT t.name FROM (SELECT *, name FROM customers) t
SELECT name FROM (SELECT name, upper(name) AS name FROM customers)
SELECT name, name FROM customers ORDER BY name
SELECT name AS x, age AS x FROM customers ORDER BY x
SELECT name AS x, name AS x FROM customers ORDER BY x
SELECT name, upper(name) AS name FROM customers ORDER BY name
SELECT address.city, address.city FROM customers ORDER BY city
SELECT city FROM (SELECT address.city, address.city FROM customers)
SELECT name FROM (SELECT name, name FROM customers GROUP BY name)
SELECT name, name, count(*) FROM customers GROUP BY name ORDER BY name
SELECT name FROM (SELECT a.name, b.name FROM customers a JOIN customers b USING (customer_id))
SELECT name FROM (SELECT a.name, a.name FROM customers a JOIN customers b USING (customer_id))
SELECT col FROM explode(array(1, 2))
SELECT x.col FROM explode(array(1, 2)) x
SELECT v FROM explode(array(1, 2)) AS t(v)
SELECT key, value FROM explode(map('a', 1))
SELECT pos, col FROM posexplode(array(1, 2))
SELECT id FROM range(10)
SELECT a, b FROM inline(array(struct(1 AS a, 2 AS b)))
SELECT col1, col2 FROM inline(array(struct(1, 2)))
SELECT col0, col1 FROM stack(2, 1, 'a', 2, 'b')
SELECT c0 FROM json_tuple('{}', 'a')
SELECT col FROM explode(sequence(to_date('2024-01-01'), to_date('2024-03-31'), interval 1 day))
SELECT nosuch FROM explode(sequence(to_date('2024-01-01'), to_date('2024-03-31'), interval 1 day))
SELECT d.col FROM explode(sequence(date '2024-01-01', date '2024-03-31')) d LEFT JOIN orders o ON o.order_date = d.col
SELECT * FROM orders o LEFT JOIN explode(o.items) e
SELECT o.order_id, e.col FROM orders o, LATERAL explode(o.items) e
SELECT o.order_id, e.col.sku FROM orders o JOIN LATERAL explode(o.items) e
SELECT name FROM (SELECT a.*, b.* FROM customers a JOIN customers b ON a.country = b.country)
WITH c AS (SELECT name FROM customers) SELECT name FROM (SELECT a.name, b.name FROM c a JOIN c b ON a.name = b.name)
WITH c AS (SELECT name FROM customers) SELECT name FROM (SELECT a.name, a.name FROM c a JOIN c b ON a.name = b.name)
SELECT name AS x, country AS x FROM customers GROUP BY x
SELECT country AS x, country AS x FROM customers GROUP BY country HAVING x > 'a'
SELECT array(order_id, customer_id)[0] FROM orders
SELECT array(order_id, nosuch)[0] FROM orders
SELECT array(o.order_id, x.order_id)[1] FROM orders o
SELECT array(items[0], nosuch)[0].sku FROM orders
SELECT array(order_id, sum(total))[0] FROM orders GROUP BY order_id
SELECT array(customer_id, sum(total))[0] FROM orders GROUP BY order_id
SELECT upper(array(status, status)[0]), abs(array(status, status)[0]) FROM orders
SELECT array(order_id)[nosuch] FROM orders
SELECT array(array(1, 2), array(3))[1][0]
