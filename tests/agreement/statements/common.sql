-- plain
SELECT * FROM wards
SELECT id, title FROM wards WHERE beds BETWEEN 5 AND 20 ORDER BY title
SELECT DISTINCT city FROM patients WHERE city IS NOT NULL
SELECT w.* FROM wards w
SELECT wards.id, doctors.full_name FROM wards, doctors WHERE wards.id = doctors.ward_id
SELECT d.full_name, w.title FROM doctors d LEFT JOIN wards w ON w.id = d.ward_id
SELECT d.full_name FROM doctors d INNER JOIN doctors b ON b.id = d.boss_id WHERE b.salary > d.salary
SELECT count(*) FROM visits
SELECT count(DISTINCT patient_id) FROM visits
SELECT city, count(*) AS n FROM patients GROUP BY city HAVING count(*) > 3 ORDER BY n DESC
SELECT max(salary), min(salary), avg(salary) FROM doctors
SELECT full_name FROM doctors WHERE salary = (SELECT max(salary) FROM doctors)
SELECT full_name FROM patients WHERE id NOT IN (SELECT patient_id FROM visits)
SELECT full_name FROM patients p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.patient_id = p.id AND v.cost > 100)
SELECT CASE WHEN beds > 10 THEN 'big' WHEN beds > 5 THEN 'medium' ELSE 'small' END AS size, title FROM wards
SELECT COALESCE(city, 'unknown') FROM patients
SELECT NULLIF(city, '') FROM patients
SELECT upper(full_name), lower(city), length(full_name) FROM patients
SELECT round(avg(weight), 1) FROM patients
SELECT abs(beds - 10) FROM wards
SELECT id FROM visits WHERE cost > 10 UNION SELECT id FROM wards
SELECT id FROM visits UNION ALL SELECT id FROM wards ORDER BY 1
SELECT title FROM wards INTERSECT SELECT title FROM drugs
SELECT title FROM wards EXCEPT SELECT title FROM drugs
WITH costly AS (SELECT patient_id, sum(cost) AS total FROM visits GROUP BY patient_id) SELECT p.full_name, c.total FROM patients p JOIN costly c ON c.patient_id = p.id
WITH a AS (SELECT id FROM wards), b AS (SELECT id FROM a) SELECT * FROM b
WITH a(x, y) AS (SELECT id, title FROM wards) SELECT x, y FROM a
WITH RECURSIVE chain(id, boss_id, depth) AS (SELECT id, boss_id, 0 FROM doctors WHERE boss_id IS NULL UNION ALL SELECT d.id, d.boss_id, c.depth + 1 FROM doctors d JOIN chain c ON d.boss_id = c.id) SELECT depth, count(*) FROM chain GROUP BY depth
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT sum(i) FROM n
SELECT t.city, t.n FROM (SELECT city, count(*) AS n FROM patients GROUP BY city) AS t WHERE t.n > 2
SELECT avg(t.n) FROM (SELECT count(*) AS n FROM visits GROUP BY doctor_id) AS t
SELECT full_name, (SELECT count(*) FROM visits v WHERE v.doctor_id = d.id) AS n FROM doctors d
SELECT full_name, salary, rank() OVER (ORDER BY salary DESC) AS place FROM doctors
SELECT full_name, row_number() OVER (PARTITION BY ward_id ORDER BY salary DESC) FROM doctors
SELECT full_name, sum(salary) OVER (PARTITION BY ward_id ORDER BY hired ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM doctors
SELECT full_name, lag(salary) OVER (ORDER BY hired), lead(salary, 2) OVER (ORDER BY hired) FROM doctors
SELECT full_name, avg(salary) OVER w FROM doctors WINDOW w AS (PARTITION BY ward_id)
SELECT first_value(full_name) OVER (ORDER BY salary DESC) FROM doctors
SELECT ntile(4) OVER (ORDER BY salary) FROM doctors
SELECT dense_rank() OVER (ORDER BY count(*) DESC), city FROM patients GROUP BY city
SELECT * FROM (SELECT d.*, row_number() OVER (PARTITION BY ward_id ORDER BY salary DESC) AS rn FROM doctors d) x WHERE rn = 1
SELECT p.full_name FROM patients p JOIN visits v ON v.patient_id = p.id JOIN doctors d ON d.id = v.doctor_id JOIN wards w ON w.id = d.ward_id WHERE w.title = 'Surgery'
SELECT p.full_name FROM patients p JOIN visits v ON v.patient_id = p.id GROUP BY p.id, p.full_name HAVING sum(v.cost) > 1000
SELECT g.drug_code, sum(g.dose) FROM given g GROUP BY g.drug_code ORDER BY sum(g.dose) DESC LIMIT 5
SELECT title FROM drugs WHERE price > 10 AND (stock < 5 OR stock IS NULL)
SELECT title FROM drugs WHERE title LIKE 'A%' AND title NOT LIKE '%z'
SELECT title FROM drugs WHERE code IN ('A1', 'B2', 'C3')
SELECT id FROM visits v WHERE NOT EXISTS (SELECT 1 FROM given WHERE visit_id = v.id)
SELECT v.id, d.title FROM visits v CROSS JOIN drugs d
SELECT w.title, d.full_name FROM wards w LEFT OUTER JOIN doctors d ON d.ward_id = w.id AND d.salary > 1000
SELECT CAST(cost AS integer) FROM visits
SELECT sum(CASE WHEN cost > 50 THEN 1 ELSE 0 END) FROM visits
SELECT patient_id, min(started) FROM visits GROUP BY patient_id
SELECT a.id FROM visits a JOIN visits b ON a.patient_id = b.patient_id AND a.started < b.started
SELECT id FROM doctors ORDER BY salary DESC LIMIT 3 OFFSET 2
SELECT 1
SELECT 1 + 2 * 3 AS answer
SELECT id AS doctor FROM doctors ORDER BY doctor
SELECT count(*), ward_id FROM doctors GROUP BY ward_id ORDER BY 1 DESC, 2
SELECT CURRENT_DATE
SELECT full_name FROM patients WHERE born < CURRENT_DATE
SELECT x.a FROM (SELECT 1 AS a UNION ALL SELECT 2) AS x
SELECT wards.title FROM wards WHERE wards.id IN (SELECT ward_id FROM doctors WHERE doctors.ward_id = wards.id)
-- unknown names
SELECT nam FROM wards
SELECT w.titel FROM wards w
SELECT * FROM ward
SELECT count(*) FROM ghosts
SELECT d.title FROM doctors d JOIN wards w ON w.id = d.ward_id
SELECT x.id FROM wards w
SELECT full_name FROM visits
SELECT p.full_name FROM patients p JOIN visits v ON v.patient = p.id
SELECT id FROM wards WHERE id IN (SELECT wardid FROM doctors)
SELECT id FROM wards WHERE id IN (SELECT beds_count FROM doctors)
WITH a AS (SELECT id FROM wards) SELECT title FROM a
WITH a(x) AS (SELECT id FROM wards) SELECT id FROM a
WITH a AS (SELECT ghost FROM wards) SELECT 1
SELECT t.total FROM (SELECT patient_id, sum(cost) AS sum_cost FROM visits GROUP BY patient_id) AS t
SELECT p.id FROM patients p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.patient_id = q.id)
SELECT a.id FROM (SELECT b.id FROM wards w) AS a
SELECT id FROM wards ORDER BY ghost
SELECT id FROM wards GROUP BY ghost
SELECT count(*) FROM wards HAVING max(ghost) > 1
SELECT sum(salary) OVER (PARTITION BY dept) FROM doctors
SELECT sum(salary) OVER nowhere FROM doctors
SELECT main.ghost.id FROM wards
SELECT wards.ghost.id FROM wards
SELECT v.id FROM visits v, given g WHERE v.id = g.visit
SELECT id FROM visits UNION SELECT nope FROM wards
SELECT w.id FROM wards w LEFT JOIN doctors d ON d.ward = w.id
SELECT doctors.id FROM doctors AS d
SELECT d.id FROM doctors AS d, wards AS d
-- ambiguity
SELECT id FROM wards JOIN doctors ON wards.id = doctors.ward_id
SELECT title FROM wards, drugs
SELECT full_name FROM patients p JOIN visits v ON p.id = v.patient_id JOIN doctors d ON d.id = v.doctor_id
SELECT count(*) FROM wards w JOIN drugs d ON title = 'x'
SELECT w.id FROM wards w JOIN drugs d ON w.title = d.title ORDER BY title
SELECT * FROM wards w JOIN doctors d ON w.id = d.ward_id WHERE id = 3
SELECT id FROM visits a JOIN visits b ON a.id = b.id
SELECT x.id FROM (SELECT w.id, d.id FROM wards w, doctors d) AS x
SELECT id FROM wards JOIN doctors USING (id)
SELECT title FROM wards NATURAL JOIN drugs
SELECT wards.title FROM wards JOIN drugs USING (title)
SELECT id FROM wards JOIN doctors USING (ward_id)
-- grouping and aggregates
SELECT city, full_name FROM patients GROUP BY city
SELECT city, count(*) FROM patients
SELECT full_name FROM patients WHERE count(*) > 1
SELECT full_name FROM patients WHERE max(weight) > 1
SELECT city FROM patients GROUP BY count(*)
SELECT max(count(*)) FROM patients GROUP BY city
SELECT city FROM patients GROUP BY city HAVING full_name = 'x'
SELECT city FROM patients GROUP BY city ORDER BY full_name
SELECT p.id, p.full_name, count(v.id) FROM patients p LEFT JOIN visits v ON v.patient_id = p.id GROUP BY p.id
SELECT p.full_name, count(v.id) FROM patients p LEFT JOIN visits v ON v.patient_id = p.id GROUP BY v.patient_id
SELECT * FROM patients GROUP BY id
SELECT * FROM patients GROUP BY city
SELECT city, 1, 'x' FROM patients GROUP BY city
SELECT upper(city) FROM patients GROUP BY upper(city)
SELECT upper(city) FROM patients GROUP BY city
SELECT city FROM patients GROUP BY upper(city)
SELECT city AS c, count(*) FROM patients GROUP BY c
SELECT count(*) FROM patients HAVING count(*) > 1
SELECT city FROM patients HAVING count(*) > 1
SELECT 1 FROM patients HAVING 1 > 0
SELECT rank() OVER (ORDER BY id) FROM wards WHERE rank() OVER (ORDER BY id) > 1
SELECT id FROM wards WHERE row_number() OVER () = 1
SELECT row_number() OVER (ORDER BY beds) AS r FROM wards WHERE r = 1
SELECT count(*) OVER (), city FROM patients GROUP BY city
SELECT sum(count(*)) OVER () FROM patients GROUP BY city
SELECT avg(sum(cost)) FROM visits GROUP BY doctor_id
SELECT sum(cost) FROM visits GROUP BY doctor_id HAVING sum(cost) > avg(cost)
SELECT doctor_id FROM visits GROUP BY 1
SELECT doctor_id FROM visits GROUP BY 2
SELECT doctor_id FROM visits ORDER BY 3
SELECT (SELECT max(v.cost) FROM visits v WHERE v.doctor_id = d.id) FROM doctors d GROUP BY d.id
SELECT d.ward_id, (SELECT count(*) FROM visits v WHERE v.doctor_id = d.id) FROM doctors d GROUP BY d.ward_id
SELECT count(*) AS n FROM visits WHERE n > 1
SELECT cost * 2 AS twice FROM visits WHERE twice > 10
SELECT cost * 2 AS twice FROM visits GROUP BY twice
SELECT cost * 2 AS twice FROM visits ORDER BY twice + 1
SELECT count(*) AS n, city FROM patients GROUP BY city HAVING n > 1
SELECT count(*) AS n, city FROM patients GROUP BY city ORDER BY n + 1
SELECT DISTINCT city FROM patients ORDER BY full_name
SELECT DISTINCT city FROM patients ORDER BY upper(city)
SELECT a, b FROM (SELECT id AS a, a + 1 AS b FROM wards) x
SELECT id AS a, a + 1 AS b FROM wards
-- shape
SELECT id FROM wards WHERE id = (SELECT id, title FROM wards)
SELECT id FROM wards WHERE id IN (SELECT id, title FROM wards)
SELECT id FROM wards WHERE (id, title) IN (SELECT id, title FROM wards)
SELECT id FROM wards WHERE (id, title) = (SELECT id, title FROM wards LIMIT 1)
SELECT id, title FROM wards UNION SELECT id FROM wards
SELECT (SELECT id, title FROM wards) FROM doctors
SELECT * FROM wards WHERE EXISTS (SELECT id, title FROM wards)
SELECT id FROM wards UNION SELECT id FROM doctors ORDER BY title
SELECT id FROM wards UNION SELECT id FROM doctors ORDER BY id
SELECT id AS a FROM wards UNION SELECT id AS b FROM doctors ORDER BY b
SELECT id FROM wards ORDER BY id UNION SELECT id FROM doctors
SELECT id FROM wards LIMIT 1 UNION SELECT id FROM doctors
(SELECT id FROM wards) UNION (SELECT id FROM doctors)
(SELECT id FROM wards ORDER BY id LIMIT 1) UNION ALL (SELECT id FROM doctors ORDER BY id LIMIT 1)
SELECT * FROM (SELECT id FROM wards UNION SELECT id FROM doctors) AS u
VALUES (1, 'a'), (2)
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t
SELECT t.x FROM (VALUES (1, 'a'), (2, 'b')) AS t(x, y)
SELECT t.z FROM (VALUES (1, 'a'), (2, 'b')) AS t(x, y)
SELECT id FROM wards WHERE id IN (1, 2) - (3)
SELECT id FROM wards WHERE id IN (1, 2) AND NOT id IN (3)
SELECT id FROM wards WHERE NOT (id > 1 AND NOT id < 5)
SELECT -id, +id FROM wards
SELECT id % 2 FROM wards
SELECT id || '-' || title FROM wards
SELECT id <> 1, id != 1 FROM wards
SELECT * FROM wards WHERE beds IS DISTINCT FROM 5
SELECT * FROM wards WHERE title IS TRUE
SELECT * FROM patients WHERE active
SELECT * FROM patients WHERE active = TRUE
SELECT * FROM patients WHERE active IS NOT TRUE
SELECT * FROM patients WHERE NOT active
SELECT * FROM patients WHERE beds
-- syntax
SELECT FROM wards
SELECT id FROM
SELECT id, FROM wards
SELECT id title beds FROM wards
SELECT id FROM wards WHERE
SELECT id FROM wards GROUP BY
SELECT id FROM wards ORDER BY
SELECT id FROM wards WHERE id = = 1
SELECT id FROM wards WHERE id >
SELECT id FROM wards WHERE id IN (1, 2
SELECT id FROM wards WHERE (id = 1
SELECT id FROM wards WHERE id = 1)
SELECT id FROM wards WHERE title LIKE
SELECT id FROM wards WHERE BETWEEN 1 AND 2
SELECT id FROM wards WHERE id BETWEEN 1
SELECT CASE WHEN id > 1 THEN 2 FROM wards
SELECT CASE id > 1 THEN 2 END FROM wards
SELECT CASE END FROM wards
SELECT id FROM wards JOIN
SELECT id FROM wards JOIN doctors ON
SELECT id FROM wards WHERE id = 1 WHERE id = 2
SELECT id FROM wards HAVING id > 1 WHERE id = 2
SELECT id FROM wards LIMIT
SELECT id FROM wards LIMIT 5 ORDER BY id
SELECT id FROM wards ORDER BY id WHERE id > 1
SELECT TOP 5 id FROM wards
SELECT id FROM wards FETCH FIRST 5 ROWS ONLY
SELECT id FROM wards LIMIT 5, 10
SELECT id FROM wards OFFSET 5
SELECT DISTINCT ON (city) city, full_name FROM patients ORDER BY city
SELECT id FROM wards w w2
SELECT id FROM wards AS
SELECT id AS FROM wards
SELECT id AS order FROM wards
SELECT id AS value FROM wards
SELECT id AS name FROM wards
SELECT id AS count FROM wards
SELECT id AS date FROM wards
SELECT id AS year FROM wards
SELECT id AS user FROM wards
SELECT id AS end FROM wards
SELECT id AS rank FROM wards
SELECT id AS group FROM wards
SELECT id AS table FROM wards
SELECT id AS desc FROM wards
SELECT id AS total, beds AS rows FROM wards
SELECT order.id FROM wards order
SELECT g.id FROM wards group
SELECT u.id FROM wards user
SELECT t.id FROM wards t
SELECT * * FROM wards
SELECT ** FROM wards
SELECT *, id FROM wards
SELECT id, * FROM wards
SELECT wards.*, 1 FROM wards
SELECT wards.* AS x FROM wards
SELECT count(*) (id) FROM wards
SELECT count(id, title) FROM wards
SELECT count() FROM wards
SELECT sum() FROM doctors
SELECT sum(salary, 2) FROM doctors
SELECT upper() FROM patients
SELECT upper(full_name, city) FROM patients
SELECT round(weight, 1, 2) FROM patients
SELECT coalesce() FROM patients
SELECT nullif(city) FROM patients
SELECT cast(id) FROM wards
SELECT cast(id AS ghosttype) FROM wards
SELECT nosuch(id) FROM wards
SELECT nosuch(*) FROM wards
SELECT title nosuch 'x' FROM wards
SELECT 'unclosed FROM wards
SELECT "title FROM wards
SELECT id -- comment
SELECT id FROM wards -- comment
SELECT id /* comment */ FROM wards
SELECT id FROM wards;
SELECT id FROM wards; SELECT id FROM doctors
INSERT INTO wards (id, title) VALUES (1, 'x')
UPDATE wards SET beds = 5 WHERE id = 1
DELETE FROM wards WHERE id = 1
UPDATE wards SET ghost = 5 WHERE id = 1
INSERT INTO wards (id, ghost) VALUES (1, 'x')
DELETE FROM wards WHERE ghost = 1
INSERT INTO wards (id) VALUES (1, 2)
INSERT INTO wards SELECT id, title, beds FROM wards
INSERT INTO wards SELECT id FROM ghosts
-- types
SELECT * FROM wards WHERE title = 5
SELECT * FROM wards WHERE title > 5
SELECT * FROM wards WHERE beds = '5'
SELECT * FROM wards WHERE beds = 'five'
SELECT * FROM wards WHERE beds > 'five'
SELECT sum(title) FROM wards
SELECT avg(full_name) FROM patients
SELECT max(title), min(born) FROM wards, patients
SELECT sum(born) FROM patients
SELECT title + 1 FROM wards
SELECT title + 'x' FROM wards
SELECT born + 1 FROM patients
SELECT born - born FROM patients
SELECT started - ended FROM visits
SELECT born > '2000-01-01' FROM patients
SELECT born > '2000-13-01' FROM patients
SELECT born = 'yesterday' FROM patients
SELECT born > 2000 FROM patients
SELECT born LIKE '2000%' FROM patients
SELECT beds LIKE '5%' FROM wards
SELECT upper(beds) FROM wards
SELECT length(beds) FROM wards
SELECT id || title FROM wards
SELECT id || beds FROM wards
SELECT CASE WHEN beds > 1 THEN 'x' ELSE 1 END FROM wards
SELECT CASE WHEN beds THEN 1 ELSE 2 END FROM wards
SELECT CASE beds WHEN 'x' THEN 1 END FROM wards
SELECT coalesce(beds, 'none') FROM wards
SELECT coalesce(title, 0) FROM wards
SELECT * FROM wards WHERE beds IN ('1', '2')
SELECT * FROM wards WHERE beds IN ('a', 'b')
SELECT * FROM wards WHERE title IN (1, 2)
SELECT * FROM wards WHERE beds IN (SELECT title FROM drugs)
SELECT * FROM wards WHERE beds = (SELECT max(title) FROM drugs)
SELECT id FROM wards UNION SELECT title FROM wards
SELECT active + 1 FROM patients
SELECT active = 1 FROM patients
SELECT active = 'yes' FROM patients
SELECT active = 'maybe' FROM patients
SELECT sum(active) FROM patients
SELECT beds AND beds FROM wards
SELECT * FROM wards WHERE beds
SELECT * FROM wards WHERE title
SELECT * FROM wards WHERE 1
SELECT * FROM wards WHERE beds + 1
SELECT * FROM wards WHERE NOT beds
SELECT * FROM wards w JOIN doctors d ON w.id
SELECT * FROM wards w JOIN drugs d ON w.id = d.code
SELECT * FROM wards WHERE id BETWEEN 'a' AND 'z'
SELECT round(height, 2) FROM patients
SELECT round(weight, 2) FROM patients
SELECT substr(full_name, 1, 3) FROM patients
SELECT substring(full_name, 1, 3) FROM patients
SELECT substring(full_name FROM 1 FOR 3) FROM patients
SELECT trim(full_name), ltrim(full_name), rtrim(full_name) FROM patients
SELECT trim(BOTH ' ' FROM full_name) FROM patients
SELECT replace(full_name, 'a', 'b') FROM patients
SELECT position('a' IN full_name) FROM patients
SELECT extract(YEAR FROM born) FROM patients
SELECT extract(YEAR FROM full_name) FROM patients
SELECT extract(ghost FROM born) FROM patients
SELECT concat(full_name, city) FROM patients
SELECT concat_ws(' ', full_name, city) FROM patients
SELECT left(full_name, 2), right(full_name, 2) FROM patients
SELECT greatest(beds, 5), least(beds, 5) FROM wards
SELECT mod(beds, 2), power(beds, 2), sqrt(beds) FROM wards
SELECT floor(weight), ceil(weight) FROM patients
SELECT current_timestamp, current_time FROM wards
SELECT now() FROM wards
SELECT random() FROM wards
SELECT date(started) FROM visits
SELECT year(born) FROM patients
SELECT date_trunc('month', started) FROM visits
SELECT strftime('%Y', born) FROM patients
SELECT to_char(born, 'YYYY') FROM patients
SELECT date_format(born, '%Y') FROM patients
SELECT datediff(born, born) FROM patients
SELECT date_add(born, INTERVAL 1 DAY) FROM patients
SELECT born + INTERVAL '1 day' FROM patients
SELECT born + INTERVAL 1 DAY FROM patients
SELECT ifnull(city, 'x') FROM patients
SELECT isnull(city, 'x') FROM patients
SELECT nvl(city, 'x') FROM patients
SELECT iif(beds > 1, 'a', 'b') FROM wards
SELECT if(beds > 1, 'a', 'b') FROM wards
SELECT group_concat(title) FROM wards
SELECT group_concat(title, ', ') FROM wards
SELECT group_concat(title SEPARATOR ', ') FROM wards
SELECT group_concat(DISTINCT title ORDER BY title) FROM wards
SELECT string_agg(title, ', ') FROM wards
SELECT string_agg(title) FROM wards
SELECT string_agg(title, ', ' ORDER BY title) FROM wards
SELECT array_agg(title) FROM wards
SELECT count(*) FILTER (WHERE beds > 5) FROM wards
SELECT sum(beds) FILTER (WHERE ghost > 5) FROM wards
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) FROM doctors
SELECT stddev(salary), variance(salary) FROM doctors
SELECT median(salary) FROM doctors
SELECT total(salary) FROM doctors
SELECT bool_and(active), bool_or(active) FROM patients
SELECT city, ward_id, count(*) FROM patients, doctors GROUP BY GROUPING SETS ((city), (ward_id), ())
SELECT city, count(*) FROM patients GROUP BY ROLLUP (city)
SELECT city, count(*) FROM patients GROUP BY city WITH ROLLUP
SELECT city, active, count(*) FROM patients GROUP BY CUBE (city, active)
SELECT * FROM wards w, LATERAL (SELECT d.full_name FROM doctors d WHERE d.ward_id = w.id LIMIT 1) AS l
SELECT * FROM wards w JOIN LATERAL (SELECT max(d.salary) AS m FROM doctors d WHERE d.ward_id = w.id) AS l ON TRUE
SELECT * FROM wards w LEFT JOIN LATERAL (SELECT d.ghost FROM doctors d) AS l ON TRUE
SELECT * FROM wards w, (SELECT * FROM doctors d WHERE d.ward_id = w.id) AS x
SELECT * FROM wards w JOIN (SELECT * FROM doctors d WHERE d.ward_id = w.id) AS x ON TRUE
SELECT * FROM wards FULL OUTER JOIN doctors ON wards.id = doctors.ward_id
SELECT * FROM wards RIGHT JOIN doctors ON wards.id = doctors.ward_id
SELECT * FROM wards NATURAL LEFT JOIN drugs
SELECT * FROM (wards JOIN doctors ON wards.id = doctors.ward_id)
SELECT w.id FROM (wards w JOIN doctors d ON w.id = d.ward_id) JOIN visits v ON v.doctor_id = d.id
SELECT w.id FROM wards w JOIN (doctors d JOIN visits v ON v.doctor_id = d.id) ON d.ward_id = w.id
SELECT w.id FROM wards w JOIN doctors d JOIN visits v ON v.doctor_id = d.id ON d.ward_id = w.id
SELECT w.id FROM wards w, doctors d JOIN visits v ON v.doctor_id = w.id
SELECT w.id FROM wards w JOIN doctors d ON v.id = d.id JOIN visits v ON v.doctor_id = d.id
SELECT w.id FROM wards w INNER JOIN doctors d
SELECT w.id FROM wards w LEFT JOIN doctors d
SELECT w.id FROM wards w LEFT JOIN doctors d WHERE w.id = d.ward_id
SELECT salary FROM doctors WHERE salary > ALL (SELECT beds FROM wards)
SELECT salary FROM doctors WHERE salary > ANY (SELECT beds FROM wards)
SELECT salary FROM doctors WHERE salary > ALL (SELECT beds, id FROM wards)
SELECT salary FROM doctors WHERE salary = SOME (SELECT ghost FROM wards)
WITH wards AS (SELECT 1 AS n) SELECT n FROM wards
WITH wards AS (SELECT 1 AS n) SELECT beds FROM wards
WITH wards AS (SELECT id FROM wards) SELECT id FROM wards
WITH a AS (SELECT * FROM b), b AS (SELECT 1 AS x) SELECT * FROM a
WITH a AS (SELECT 1 AS x), a AS (SELECT 2 AS x) SELECT * FROM a
WITH a AS (SELECT 1 AS x) SELECT * FROM wards
SELECT * FROM wards WHERE id IN (WITH a AS (SELECT 1 AS x) SELECT x FROM a)
SELECT * FROM (WITH a AS (SELECT 1 AS x) SELECT x FROM a) AS t
SELECT x FROM a WHERE x IN (WITH a AS (SELECT 1 AS x) SELECT x FROM a)
WITH a AS MATERIALIZED (SELECT 1 AS x) SELECT x FROM a
WITH a (x) AS (SELECT 1, 2) SELECT x FROM a
WITH a (x, y, z) AS (SELECT 1, 2) SELECT x FROM a
SELECT * FROM doctors d WHERE (WITH c AS (SELECT d.id AS x) SELECT x FROM c) = 1
SELECT Title FROM Wards
SELECT WARDS.TITLE FROM wards
SELECT W.title FROM wards w
SELECT w.title FROM wards W
SELECT "title" FROM "wards"
SELECT "Title" FROM wards
SELECT `title` FROM `wards`
SELECT [title] FROM [wards]
SELECT "Visit ID", "value" FROM "Lab Results"
SELECT "visit id" FROM "Lab Results"
SELECT l."Order" FROM "Lab Results" l
SELECT l.Order FROM "Lab Results" l
SELECT unit FROM "lab results"
SELECT `Visit ID` FROM `Lab Results`
SELECT title AS "Ward Title" FROM wards ORDER BY "Ward Title"
SELECT title AS "Ward Title" FROM wards ORDER BY "ward title"
SELECT title AS 'Ward Title' FROM wards
SELECT title 'x' FROM wards
SELECT title AS Ward_Title FROM wards ORDER BY ward_title
SELECT * FROM wards WHERE title = "Surgery"
SELECT * FROM wards WHERE title = 'O''Hara'
SELECT * FROM wards WHERE title = 'O\'Hara'
SELECT * FROM wards WHERE title COLLATE NOCASE = 'x'
SELECT title COLLATE "C" FROM wards
SELECT title FROM wards ORDER BY title NULLS LAST
SELECT title FROM wards ORDER BY title DESC NULLS FIRST
SELECT title FROM wards ORDER BY title COLLATE ghost
SELECT details->'a' FROM visits
SELECT details->>'a' FROM visits
SELECT json_extract(details, '$.a') FROM visits
SELECT json_array_length(details) FROM visits
SELECT count(*) FROM visits WHERE details IS NULL
SELECT 1 WHERE 1 = 1
SELECT * FROM wards AS w(a, b, c)
SELECT a FROM wards AS w(a, b, c)
SELECT id FROM wards AS w(a, b, c)
SELECT a FROM wards AS w(a, b, c, d)
SELECT exists(SELECT 1 FROM wards)
SELECT NOT exists(SELECT 1 FROM wards) AS e
SELECT id IN (SELECT ward_id FROM doctors) FROM wards
SELECT id FROM wards WHERE (SELECT 1)
SELECT id FROM wards WHERE id = ALL (1, 2)
SELECT id FROM wards LIMIT (SELECT 1)
SELECT id FROM wards LIMIT beds
SELECT id FROM wards LIMIT 'x'
SELECT id FROM wards LIMIT -1
SELECT id FROM wards LIMIT ALL
SELECT id FROM wards ORDER BY 1 ASC, 2 DESC
SELECT id FROM wards ORDER BY (SELECT 1)
SELECT id FROM wards ORDER BY count(*)
SELECT id FROM wards GROUP BY id ORDER BY count(*)
SELECT id FROM wards GROUP BY ALL
SELECT ALL id FROM wards
SELECT DISTINCT id, DISTINCT title FROM wards
SELECT count(DISTINCT *) FROM wards
SELECT count(DISTINCT id, title) FROM wards
SELECT count(DISTINCT (id, title)) FROM wards
SELECT sum(DISTINCT beds) FROM wards
SELECT max(DISTINCT beds) OVER () FROM wards
SELECT count(DISTINCT beds) OVER () FROM wards
SELECT lag(beds) FROM wards
SELECT row_number() FROM wards
SELECT upper(title) OVER () FROM wards
SELECT sum(beds) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(beds) OVER (ROWS 2 PRECEDING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) FROM wards
SELECT sum(beds) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM wards
SELECT nth_value(title, 2) OVER (ORDER BY id) FROM wards
SELECT percent_rank() OVER (ORDER BY beds), cume_dist() OVER (ORDER BY beds) FROM wards
SELECT sum(sum(beds) OVER ()) FROM wards
SELECT sum(sum(beds)) OVER (PARTITION BY title) FROM wards GROUP BY title
SELECT id, sum(beds) OVER (PARTITION BY title) FROM wards GROUP BY id
-- What models mix up between dialects, second part
FROM wards
FROM wards SELECT title
SELECT n FROM (FROM wards) AS t
SELECT title FROM wards WHERE title IS 'x'
SELECT title FROM wards WHERE beds IS NOT 5
SELECT title FROM wards WHERE beds ISNULL
SELECT title FROM wards WHERE beds NOTNULL
SELECT title FROM wards WHERE !(beds > 5)
SELECT title FROM wards WHERE beds =! 5
SELECT title FROM wards LIMIT 5 PERCENT
SELECT title FROM wards LIMIT 2 + 3
SELECT title FROM wards LIMIT NULL
SELECT title FROM wards OFFSET 1 LIMIT 2
SELECT title FROM wards FOR UPDATE
SELECT title FROM wards USING SAMPLE 10
SELECT title FROM wards WITH (NOLOCK)
SELECT title INTO other FROM wards
SELECT d.full_name FROM doctors d JOIN wards w USING id
SELECT d.full_name FROM doctors d CROSS JOIN wards w ON w.id = d.ward_id
SELECT d.full_name FROM doctors d OUTER APPLY (SELECT 1 AS one) x
SELECT d.full_name FROM doctors d CROSS APPLY (SELECT 1 AS one) x
SELECT d.full_name FROM doctors d ASOF JOIN wards w ON w.id >= d.ward_id
SELECT w.'title' FROM wards w
SELECT full_name FROM patients WHERE born > DATE '2000-01-01'
SELECT full_name FROM patients WHERE born BETWEEN DATE '2000-01-01' AND DATE '2000-12-31'
SELECT started FROM visits WHERE started > TIMESTAMP '2024-01-01 00:00:00'
SELECT born + INTERVAL 3 MONTHS FROM patients
SELECT born FROM patients WHERE born > CURRENT_DATE - INTERVAL '3' MONTHS
SELECT full_name FROM patients WHERE born + INTERVAL id DAY > CURRENT_DATE
SELECT full_name FROM patients WHERE born + INTERVAL (id) DAY > CURRENT_DATE
SELECT sum(cost) OVER (ORDER BY started RANGE INTERVAL '1' DAY PRECEDING) FROM visits
SELECT started FROM visits WHERE ended - started > INTERVAL '1' DAY
SELECT extract(DOW FROM born), extract(QUARTER FROM born) FROM patients
SELECT extract(EPOCH FROM started) FROM visits
SELECT datediff(day, started, ended) FROM visits
SELECT timestampdiff(YEAR, born, CURRENT_DATE) FROM patients
SELECT dateadd(MONTH, 1, born) FROM patients
SELECT date_trunc(month, started) FROM visits
SELECT 0x41, 1e5, .5
SELECT 1_000
SELECT 5 AS 5a
SELECT title FROM wards UNION SELECT full_name FROM doctors ORDER BY upper(title)
SELECT title FROM wards UNION SELECT full_name FROM doctors ORDER BY title, 1
SELECT upper(title) FROM wards UNION SELECT full_name FROM doctors ORDER BY upper(title)
SELECT title, count(*) FROM wards GROUP BY 2
SELECT title, count(*) AS n, 2 * count(*) FROM wards GROUP BY title, 3
SELECT count(*) FILTER (WHERE beds > 5), max(beds) FILTER (WHERE ghost > 5) FROM wards
WITH c AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM c WHERE x < 5) SELECT x FROM c
WITH RECURSIVE c AS (SELECT 1 AS x UNION ALL SELECT max(x) FROM c) SELECT x FROM c
WITH RECURSIVE c AS (SELECT 1 AS x UNION ALL SELECT x + 1.5 FROM c WHERE x < 5) SELECT x FROM c
WITH RECURSIVE c AS (SELECT count(*) AS x FROM wards UNION ALL SELECT x + 1 FROM c WHERE x < 5) SELECT x FROM c
WITH RECURSIVE c AS (SELECT c.x FROM c) SELECT x FROM c
SELECT column1 FROM (VALUES (1, 'a'), (2, 'b')) AS v
SELECT col0 FROM (VALUES (1, 'a'), (2, 'b')) AS v
WITH v AS (VALUES (1, 'a'), (2, 'b')) SELECT count(*) FROM v
WITH v(a, b) AS (VALUES (1, 'a'), (2, 'b')) SELECT a, ghost FROM v
SELECT w.*, count(*) FROM wards w GROUP BY w.id
SELECT w.*, count(*) FROM wards w GROUP BY w.title
SELECT w.title FROM wards w JOIN doctors w ON 1 = 1
SELECT w.id FROM wards w JOIN doctors w ON 1 = 1
SELECT mode() WITHIN GROUP (ORDER BY city) FROM patients
SELECT percentile_cont(weight, 0.5) FROM patients
SELECT max(beds) WITHIN GROUP (ORDER BY id) FROM wards
SELECT rank(beds) OVER (ORDER BY beds) FROM wards
SELECT rank() OVER (ORDER BY beds) AS r FROM wards HAVING r < 3
SELECT id FROM wards ORDER BY title COLLATE NOCASE
SELECT id FROM wards WHERE title = 'x' COLLATE utf8mb4_0900_ai_ci
SELECT id FROM wards WHERE title = 'x' COLLATE "C"
SELECT details ->> 'a' > 5 FROM visits
SELECT details ? 'a' FROM visits
SELECT reason ->> 'a' FROM visits
SELECT title && 'x' FROM wards
SELECT beds ~ 'x' FROM wards
SELECT array_agg(title)[1] FROM wards
SELECT 'Ward ' + beds FROM wards
SELECT 'Ward ' + title FROM wards
SELECT title || beds FROM wards
SELECT match(title) AGAINST ('x') FROM wards
SELECT title FROM wards WHERE id = ANY (beds)
SELECT cast(born AS varchar), cast(born AS varchar(10)) FROM patients
SELECT convert(born, char) FROM patients
SELECT if(active, 1), coalesce(city, 'x') FROM patients
SELECT string_agg(title), count(*) FROM wards
SELECT decode(title, 'a', 1, 0) FROM wards
SELECT date(born, '+1 day') FROM patients
INSERT INTO wards (id, title) VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET title = excluded.title
INSERT INTO wards (id, title) VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET title = excluded.ghost
INSERT INTO wards (id, title) VALUES (1, 'a') ON DUPLICATE KEY UPDATE title = VALUES(title)
INSERT OR REPLACE INTO wards (id, title) VALUES (1, 'a')
UPDATE wards w SET title = 'x'
UPDATE wards AS w SET title = 'x' FROM doctors AS d WHERE d.ward_id = w.id
UPDATE wards w JOIN doctors d ON d.ward_id = w.id SET w.title = d.full_name
UPDATE wards SET title = 'x' WHERE ghost = 1
DELETE FROM wards AS w WHERE w.id = 1
DELETE FROM wards USING doctors WHERE doctors.ward_id = wards.id
DELETE w FROM wards w JOIN doctors d ON d.ward_id = w.id
DELETE FROM wards ORDER BY id LIMIT 1
DELETE FROM wards WHERE id = 1 RETURNING id, ghost
WITH old AS (SELECT id FROM wards WHERE beds < 2) DELETE FROM doctors WHERE ward_id IN (SELECT id FROM old)
SELECT round(avg(extract(YEAR FROM born)), 1) FROM patients
SELECT title, count(*) FROM wards GROUP BY 'title'
SELECT w.* EXCEPT (title) FROM wards w
SELECT user FROM wards
SELECT datepart(month, born) FROM patients
SELECT id FROM wards ORDER BY 'title' + 'id'
SELECT sum('beds') FROM wards
SELECT title FROM wards WHERE title != "null"
-- ORDER BY of a set operation by what its lists hold, with other names
SELECT title AS t FROM wards UNION SELECT code FROM drugs ORDER BY title
SELECT title AS t FROM wards UNION SELECT code FROM drugs ORDER BY wards.title
SELECT title AS t FROM wards w UNION SELECT code FROM drugs ORDER BY w.Title DESC
SELECT w.title AS t FROM wards w UNION SELECT code FROM drugs ORDER BY Title
SELECT title AS t FROM wards w UNION SELECT code FROM drugs ORDER BY beds
SELECT w.title AS t FROM wards w UNION SELECT d.title FROM drugs d ORDER BY d.title
-- aggregates and windows: NULLs, WITHIN GROUP, DISTINCT with an order
SELECT first_value(title) IGNORE NULLS OVER (ORDER BY id) FROM wards
SELECT first_value(title) RESPECT NULLS OVER (ORDER BY id) FROM wards
SELECT last_value(title IGNORE NULLS) OVER (ORDER BY id) FROM wards
SELECT lag(title RESPECT NULLS) OVER (ORDER BY id) FROM wards
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY beds) OVER (PARTITION BY title) FROM wards
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY beds) FROM wards
SELECT string_agg(title, ',') WITHIN GROUP (ORDER BY title) FROM wards
SELECT listagg(upper(title), ', ') WITHIN GROUP (ORDER BY id) FROM wards
SELECT string_agg(DISTINCT title, ',' ORDER BY title) FROM wards
SELECT string_agg(DISTINCT w.title, ',' ORDER BY title) FROM wards w
SELECT string_agg(DISTINCT title, ',' ORDER BY beds) FROM wards
SELECT group_concat(DISTINCT title ORDER BY beds) FROM wards
SELECT group_concat(DISTINCT title, '; ') FROM wards
SELECT array_agg(DISTINCT title ORDER BY upper(title)) FROM wards
SELECT array_agg(DISTINCT title ORDER BY beds) FROM wards
SELECT max(weight, height) FROM patients
SELECT max(weight, id) FROM patients
-- windows without an order, lists of ANY, limits, and literals where a type is wanted
(SELECT doctor_id FROM visits) UNION (SELECT 'z')
SELECT 'a' UNION ALL SELECT 1
SELECT 'x' AS l, doctor_id FROM visits UNION SELECT 'y', 'z'
SELECT * FROM (SELECT 'a' AS k, 1 AS n) t UNION SELECT 1, 'b'
SELECT 1 UNION ALL SELECT 'a'
SELECT ANY_VALUE(reason) > 3 FROM visits
SELECT COUNT(*) AS c FROM visits GROUP BY c
SELECT CUME_DIST() OVER () FROM visits
SELECT DENSE_RANK() OVER (PARTITION BY doctor_id) FROM visits
SELECT LAG(cost) OVER () FROM visits
SELECT LEAD(cost) OVER (PARTITION BY doctor_id) FROM visits
SELECT MAX(reason) + MIN(reason) FROM visits
SELECT MAX(reason) - 1 FROM visits
SELECT MAX(started) - MIN(started), MAX(started) > 5 FROM visits
SELECT N'x'
SELECT NULLIF(cost, ''), NULLIF(reason, '') FROM visits
SELECT NULLIF(cost, 0), NULLIF(doctor_id, '0'), NULLIF(reason, 1) FROM visits
SELECT NULLIF(started, ''), NULLIF(started, '0000-00-00') FROM visits
SELECT PERCENT_RANK() OVER (PARTITION BY doctor_id) FROM visits
SELECT RANK() OVER () FROM visits
SELECT RANK() OVER (ORDER BY s), doctor_id AS s FROM visits
SELECT ROW_NUMBER() OVER (ORDER BY cost) AS r, COUNT(*) FROM visits GROUP BY 1
SELECT ROW_NUMBER() OVER (ORDER BY cost) AS r, COUNT(*) FROM visits GROUP BY r
SELECT SUM(cost) OVER (ORDER BY doctor_id, cost RANGE 2 PRECEDING) FROM visits
SELECT SUM(cost) OVER (PARTITION BY doctor_id RANGE 2 PRECEDING) FROM visits
SELECT cost FROM visits LIMIT 5 OFFSET 10 ROW
SELECT cost FROM visits LIMIT 5 ROWS
SELECT cost FROM visits WHERE reason = ANY ('a', 'b')
SELECT cost FROM visits WHERE reason LIKE ANY ('{a,b}')
SELECT cost FROM visits WHERE reason LIKE ANY (ARRAY['a', 'b'])
SELECT cost FROM visits WHERE reason LIKE ANY (SELECT title FROM wards)
SELECT cost FROM visits WHERE reason NOT LIKE ALL (ARRAY['a', 'b'])
SELECT cost FROM visits WHERE doctor_id IN ()
SELECT cost FROM visits WHERE doctor_id NOT IN () AND cost > 3
SELECT reason ~~ 'a', reason ~~* 'a', reason !~~ 'b' FROM visits
SELECT started FROM visits UNION SELECT 'never'
SELECT doctor_id AS s, RANK() OVER (ORDER BY s) FROM visits
SELECT doctor_id AS s, SUM(cost) OVER (PARTITION BY s) FROM visits
SELECT doctor_id FROM visits UNION SELECT 'z'
SELECT doctor_id, cost FROM visits UNION SELECT 'z', 1
WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s OFFSET 2) SELECT * FROM s
WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s ORDER BY n) SELECT * FROM s
-- aliases of subqueries, IN without brackets, times of day
SELECT title, (SELECT 1) AS n, n + 1 FROM wards
SELECT title, (SELECT count(*) FROM doctors d WHERE d.ward_id = w.id) AS n FROM wards w ORDER BY n + 1
SELECT title, (SELECT count(*) FROM doctors d WHERE d.ward_id = w.id) AS n FROM wards w ORDER BY n DESC
SELECT title, (SELECT 1) AS n FROM wards WHERE n > 3
SELECT title, EXISTS (SELECT 1) AS n, NOT n FROM wards
SELECT title, row_number() OVER (ORDER BY id) AS n, n + 1 FROM wards
SELECT id FROM wards WHERE id IN doctors
SELECT id FROM wards WHERE id IN ghosts
SELECT id FROM wards WHERE 'x' IN ['x', 'y']
SELECT id FROM visits WHERE CAST(started AS time) > '25:00'
SELECT id FROM visits WHERE CAST(started AS time) BETWEEN '08:00' AND '24:00:00'
-- parts that are missing
SELECT title FROM wards WHERE beds > > 3
SELECT coalesce(, title) FROM wards
SELECT title AS, beds FROM wards
SELECT beds >> 1, beds << 2 FROM wards
SELECT count(*) FILTER (beds > 1) FROM wards
SELECT date(started) AS d, max(cost) FROM visits
SELECT w.*, count(d.id) FROM wards w LEFT JOIN doctors d ON d.ward_id = w.id GROUP BY id
SELECT w.*, d.* FROM wards w LEFT JOIN doctors d ON d.ward_id = w.id GROUP BY id
SELECT * FROM wards w LEFT JOIN doctors d ON d.ward_id = w.id GROUP BY title, id
-- what truncated and shuffled texts hold
SELECT (title AS t) FROM wards
SELECT title FROM wards WHERE (title t, beds) = ('a', 1)
SELECT title FROM wards WHERE beds NOT IS NULL
SELECT d.full_name FROM doctors d JOIN wards w ON d.ward_id = w
SELECT w.title FROM wards w WHERE w
SELECT w.title FROM wards w WHERE w.id IN
SELECT *, count(d.id) FROM wards w JOIN doctors d ON d.ward_id = w.id GROUP BY w.id
SELECT started + INTERVAL 1 FROM visits
SELECT title FROM wards WHERE title = 'a' 'b'
SELECT CASE WHEN beds > 1 THEN 'a' 'b' END FROM wards
SELECT title, (*) FROM wards
SELECT title FROM wards WHERE (beds + 1) * (2 + beds) > 3 AND NOT title IS NULL
-- ties, FETCH, names of functions in FROM
SELECT title FROM wards ORDER BY title LIMIT 3 WITH TIES
SELECT title FROM wards ORDER BY title FETCH FIRST 3 ROWS WITH TIES
SELECT title FROM wards ORDER BY title FETCH FIRST 3 ROWS
SELECT title FROM wards ORDER BY title FETCH NEXT ROW ONLY
SELECT v.id FROM visits v, json_each(v.details) WHERE json_each.key = 'x'
SELECT key, value FROM json_each('{}') WHERE json_each.key = 'a'
SELECT generate_series FROM generate_series(1, 3)
SELECT * EXCLUDE (ghost) FROM wards
SELECT * EXCLUDE (title, beds) FROM wards
-- ANY and ALL of a value
SELECT title FROM wards WHERE title <> ALL (ARRAY['a', 'b'])
SELECT title FROM wards WHERE beds = SOME (SELECT id FROM doctors)
SELECT count(*) OVER w FROM wards WINDOW w (PARTITION BY title)
SELECT * FROM upper('a') AS t
SELECT * FROM lower('a')
-- names in ORDER BY and DISTINCT ON
SELECT doctors.full_name, x.full_name FROM doctors, doctors x ORDER BY full_name
SELECT doctors.full_name, x.full_name FROM doctors JOIN doctors x ON doctors.id = x.id ORDER BY full_name
SELECT doctors.full_name FROM doctors JOIN doctors x ON doctors.id = x.id ORDER BY full_name
SELECT doctors.id, wards.id FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT doctors.id, wards.beds FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT wards.beds, doctors.id AS x, wards.id AS x FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY x
SELECT * FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT doctors.*, wards.id FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT doctors.* FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT doctors.*, wards.* FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT doctors.*, wards.beds FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT doctors.id, id FROM doctors ORDER BY id
SELECT doctors.id AS x, id AS x FROM doctors ORDER BY x
SELECT id AS x, id AS X FROM doctors ORDER BY x
SELECT id AS x, (id) AS x FROM doctors ORDER BY x
SELECT id AS x, id + 0 AS x FROM doctors ORDER BY x
SELECT id AS x, boss_id AS x FROM doctors ORDER BY x + 1
SELECT id AS x, boss_id AS x FROM doctors ORDER BY -x
SELECT id AS x, boss_id AS x FROM doctors GROUP BY x
SELECT id AS x, boss_id AS x FROM doctors GROUP BY id, boss_id ORDER BY x
SELECT id AS x, boss_id AS x FROM doctors HAVING x > 1
SELECT id AS boss_id, boss_id AS beds FROM doctors ORDER BY boss_id
SELECT id AS boss_id, boss_id FROM doctors ORDER BY boss_id
SELECT id AS boss_id, doctors.boss_id FROM doctors ORDER BY boss_id
SELECT id AS boss_id, doctors.boss_id FROM doctors ORDER BY doctors.boss_id
SELECT id AS boss_id FROM doctors ORDER BY boss_id
SELECT count(*) AS id, id FROM doctors GROUP BY id ORDER BY id
SELECT id, count(*) AS id FROM doctors GROUP BY id ORDER BY id
SELECT DISTINCT ON (x) id AS x, boss_id FROM doctors
SELECT DISTINCT ON (x) id AS x, boss_id FROM doctors ORDER BY x
SELECT doctors.id, wards.id FROM doctors JOIN wards USING (id) ORDER BY id
SELECT id, doctors.id FROM doctors JOIN wards USING (id) ORDER BY id
SELECT doctors.id, wards.id FROM doctors JOIN wards ON doctors.id = wards.id GROUP BY doctors.id, wards.id ORDER BY id
SELECT doctors.id, wards.id FROM doctors JOIN wards ON doctors.id = wards.id GROUP BY id
SELECT doctors.id, max(wards.id) AS id FROM doctors JOIN wards ON doctors.id = wards.id GROUP BY doctors.id ORDER BY id
SELECT max(doctors.id), max(wards.id) FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY max
SELECT 1 AS x, 1 AS x FROM doctors ORDER BY x
SELECT 1 AS x, 2 AS x FROM doctors ORDER BY x
SELECT id AS x, boss_id AS x FROM doctors UNION SELECT 1, 2 ORDER BY x
SELECT x.full_name FROM (SELECT doctors.full_name, wards.full_name FROM doctors, doctors wards) x ORDER BY full_name
SELECT id AS x, boss_id AS x FROM doctors ORDER BY 1
SELECT id AS x, boss_id AS y FROM doctors ORDER BY x, y
SELECT full_name AS "N", full_name FROM doctors ORDER BY full_name
SELECT upper(full_name) AS full_name, full_name FROM doctors ORDER BY full_name
SELECT upper(full_name) AS full_name FROM doctors ORDER BY full_name
SELECT lower(full_name) AS full_name, upper(full_name) AS full_name FROM doctors ORDER BY full_name
SELECT sum(id) AS total, sum(boss_id) AS total FROM doctors ORDER BY total DESC
SELECT DISTINCT ON (x) id AS x, boss_id FROM doctors ORDER BY id
SELECT DISTINCT ON (id) id AS x, boss_id FROM doctors ORDER BY x
SELECT DISTINCT ON (id) id AS x, boss_id FROM doctors ORDER BY boss_id
SELECT DISTINCT ON (id, boss_id) id, boss_id FROM doctors ORDER BY boss_id, id
SELECT DISTINCT ON (id, boss_id) id, boss_id FROM doctors ORDER BY boss_id, full_name
SELECT DISTINCT ON (ghost) id, boss_id FROM doctors
SELECT DISTINCT ON (id) * FROM doctors ORDER BY id, boss_id
SELECT DISTINCT ON (doctors.id) doctors.*, wards.beds FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY doctors.id, wards.beds DESC
SELECT DISTINCT ON (id) doctors.*, wards.beds FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT DISTINCT ON (upper) upper(full_name) FROM doctors
SELECT DISTINCT ON (upper(full_name)) upper(full_name) FROM doctors ORDER BY upper(full_name)
SELECT DISTINCT ON (id + boss_id) id, boss_id FROM doctors ORDER BY id + boss_id
SELECT DISTINCT ON (count) count(*) FROM doctors
SELECT DISTINCT ON (id) id, count(*) OVER (PARTITION BY id) FROM doctors ORDER BY id, boss_id
SELECT DISTINCT ON (1) id FROM doctors
SELECT DISTINCT (id), boss_id FROM doctors ORDER BY id
SELECT DISTINCT id FROM doctors ORDER BY boss_id
SELECT DISTINCT id AS x FROM doctors ORDER BY x
SELECT DISTINCT id AS x FROM doctors ORDER BY id
SELECT DISTINCT doctors.id FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT DISTINCT doctors.* FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT DISTINCT doctors.id, upper(full_name) FROM doctors ORDER BY upper
SELECT DISTINCT count(*) FROM doctors GROUP BY id ORDER BY count
SELECT doctors.* FROM doctors LEFT JOIN wards ON doctors.id = wards.id WHERE wards.id IS NULL ORDER BY id DESC LIMIT 5
SELECT doctors.*, count(*) AS k FROM doctors JOIN wards ON doctors.id = wards.id GROUP BY doctors.id, doctors.boss_id, doctors.full_name ORDER BY id
SELECT x.* FROM (SELECT id FROM doctors) x JOIN wards ON x.id = wards.id ORDER BY id
SELECT x.*, wards.* FROM (SELECT id FROM doctors) x JOIN wards ON x.id = wards.id ORDER BY beds
WITH q AS (SELECT id, boss_id FROM doctors) SELECT q.* FROM q JOIN wards ON q.id = wards.id ORDER BY id, boss_id
SELECT doctors.id FROM doctors JOIN wards ON doctors.id = wards.id GROUP BY doctors.id ORDER BY id
SELECT doctors.id, count(*) FROM doctors JOIN wards ON doctors.id = wards.id GROUP BY doctors.id ORDER BY id
SELECT doctors.id, count(*) FROM doctors JOIN wards ON doctors.id = wards.id GROUP BY id ORDER BY id
SELECT doctors.id, count(*) FROM doctors JOIN wards ON doctors.id = wards.id GROUP BY doctors.id HAVING id > 1
SELECT doctors.id FROM doctors JOIN wards ON doctors.id = wards.id WHERE id > 1
SELECT doctors.id FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id + 1
SELECT doctors.id FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY lower(id)
SELECT doctors.id FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id COLLATE "C"
SELECT doctors.id AS z FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT doctors.id AS id FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT doctors.id + 1 AS id FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT sum(doctors.id) AS id FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY id
SELECT doctors.id FROM doctors JOIN wards USING (id) ORDER BY id
SELECT * FROM doctors JOIN wards USING (id) ORDER BY id
SELECT * FROM doctors NATURAL JOIN wards ORDER BY id
SELECT wards.id FROM doctors JOIN wards USING (id) ORDER BY id
SELECT * FROM doctors, wards ORDER BY beds
SELECT * FROM doctors, wards ORDER BY id
SELECT *, doctors.id AS q FROM doctors, wards ORDER BY q
SELECT *, id AS boss_id FROM doctors ORDER BY boss_id
SELECT *, upper(full_name) AS full_name FROM doctors ORDER BY full_name
SELECT id, * FROM doctors ORDER BY id
SELECT doctors.id, doctors.* FROM doctors ORDER BY id
SELECT boss_id, * FROM doctors ORDER BY boss_id DESC
SELECT * FROM doctors x, doctors y ORDER BY x.id
SELECT x.id, y.id FROM doctors x, doctors y ORDER BY x.id
SELECT x.id, y.id FROM doctors x, doctors y ORDER BY id
SELECT (SELECT id FROM wards LIMIT 1) AS id FROM doctors ORDER BY id
SELECT id FROM (SELECT id FROM doctors ORDER BY id) q ORDER BY id
SELECT id FROM doctors ORDER BY ghost
SELECT doctors.* FROM doctors ORDER BY ghost
SELECT doctors.* FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY beds
SELECT doctors.* FROM doctors JOIN wards ON doctors.id = wards.id ORDER BY ghost
-- arrays, JSON
SELECT ARRAY(SELECT id FROM wards) FROM doctors
SELECT ARRAY(SELECT ghost FROM wards) FROM doctors
SELECT ARRAY[id, beds] FROM wards
SELECT json_array_length(details), details->>'a' = '1' FROM visits
SELECT (details->>'a')::int FROM visits
-- scopes, groups, windows, quotes
SELECT id AS x FROM doctors WHERE x > 1
SELECT id + 1 AS x FROM doctors GROUP BY x
SELECT id + 1 AS x, count(*) FROM doctors GROUP BY x HAVING x > 1
SELECT id AS x, count(*) AS k FROM doctors GROUP BY id HAVING k > 1
SELECT id, count(*) AS k FROM doctors GROUP BY id ORDER BY k * 2
SELECT id, count(*) AS k FROM doctors GROUP BY id ORDER BY -k
SELECT id, count(*) AS k, k * 2 AS d FROM doctors GROUP BY id
SELECT id AS boss_id, count(*) FROM doctors GROUP BY boss_id
SELECT full_name AS id, count(*) FROM doctors GROUP BY id
SELECT doctors.id FROM doctors AS x
SELECT x.id FROM doctors AS x WHERE doctors.boss_id = 1
SELECT x.id FROM doctors x JOIN doctors y ON x.id = y.id WHERE boss_id = 1
SELECT id FROM doctors JOIN wards USING (id)
SELECT doctors.id FROM doctors JOIN wards USING (id)
SELECT wards.id FROM doctors JOIN wards USING (id)
SELECT wards.id FROM doctors LEFT JOIN wards USING (id) GROUP BY id
SELECT id, count(*) FROM doctors LEFT JOIN wards USING (id) GROUP BY doctors.id
SELECT boss_id FROM doctors JOIN wards USING (boss_id)
SELECT * FROM doctors JOIN wards USING (ghost)
SELECT * FROM doctors NATURAL JOIN wards WHERE doctors.id = wards.id
SELECT (SELECT max(beds) FROM wards WHERE wards.id = doctors.id) FROM doctors
SELECT (SELECT max(beds) FROM wards WHERE id = doctors.id) FROM doctors
SELECT (SELECT max(beds) FROM wards WHERE id = x.id) FROM doctors x
SELECT (SELECT max(beds) FROM wards WHERE id = doctors.id) FROM doctors x
SELECT id FROM doctors WHERE id IN (SELECT boss_id FROM wards)
SELECT id FROM doctors WHERE id IN (SELECT ghost FROM wards)
SELECT id FROM doctors WHERE EXISTS (SELECT 1 FROM wards WHERE beds = boss_id)
SELECT id FROM doctors WHERE (SELECT count(*) FROM wards WHERE wards.beds > full_name) > 1
WITH doctors AS (SELECT beds FROM wards) SELECT beds FROM doctors
WITH doctors AS (SELECT beds FROM wards) SELECT id FROM doctors
WITH x AS (SELECT id FROM doctors), y AS (SELECT id FROM x) SELECT * FROM y JOIN x ON x.id = y.id
WITH y AS (SELECT id FROM x), x AS (SELECT id FROM doctors) SELECT * FROM y
WITH x AS (SELECT id FROM doctors) SELECT (SELECT max(id) FROM x) FROM wards
WITH x AS (SELECT id FROM doctors) SELECT * FROM (SELECT * FROM x) z WHERE z.id > 1
WITH x (p, q) AS (SELECT id, boss_id FROM doctors) SELECT p, q FROM x
WITH x (p) AS (SELECT id, boss_id FROM doctors) SELECT p FROM x
WITH x (p, q) AS (SELECT id, boss_id FROM doctors) SELECT id FROM x
WITH x AS (SELECT id FROM doctors) UPDATE doctors SET id = 1
SELECT id FROM (SELECT id FROM doctors)
SELECT x.id FROM (SELECT id FROM doctors) AS x(q)
SELECT q FROM (SELECT id FROM doctors) AS x(q)
SELECT id FROM doctors UNION SELECT beds FROM wards ORDER BY id
SELECT id FROM doctors UNION SELECT beds FROM wards ORDER BY beds
SELECT id FROM doctors UNION SELECT beds FROM wards ORDER BY doctors.id
SELECT id FROM doctors UNION SELECT beds FROM wards ORDER BY 1
SELECT id FROM doctors UNION SELECT beds FROM wards ORDER BY 2
SELECT id AS z FROM doctors UNION SELECT beds FROM wards ORDER BY z LIMIT 3
(SELECT id FROM doctors ORDER BY id LIMIT 1) UNION ALL (SELECT beds FROM wards ORDER BY beds LIMIT 1)
SELECT id FROM doctors LIMIT 1 UNION SELECT beds FROM wards
SELECT id, boss_id FROM doctors UNION SELECT beds FROM wards
SELECT count(*) FROM doctors WHERE count(*) > 1
SELECT id FROM doctors WHERE sum(boss_id) > 1 GROUP BY id
SELECT id, boss_id FROM doctors GROUP BY id
SELECT id, max(boss_id) FROM doctors
SELECT max(id) + boss_id FROM doctors
SELECT id FROM doctors HAVING id > 1
SELECT id FROM doctors GROUP BY id HAVING boss_id > 1
SELECT id FROM doctors GROUP BY id HAVING max(boss_id) > 1
SELECT id FROM doctors GROUP BY id ORDER BY boss_id
SELECT id FROM doctors GROUP BY id ORDER BY max(boss_id)
SELECT DISTINCT id FROM doctors ORDER BY max(boss_id)
SELECT id FROM doctors GROUP BY 1
SELECT id FROM doctors GROUP BY 2
SELECT id, count(*) FROM doctors GROUP BY 2
SELECT lower(full_name), count(*) FROM doctors GROUP BY lower(full_name)
SELECT lower(full_name), count(*) FROM doctors GROUP BY full_name
SELECT full_name, count(*) FROM doctors GROUP BY lower(full_name)
SELECT id + boss_id FROM doctors GROUP BY id, boss_id
SELECT id + boss_id FROM doctors GROUP BY boss_id + id
SELECT id + 1 FROM doctors GROUP BY id + 1
SELECT (id + 1) * 2 FROM doctors GROUP BY id + 1
SELECT CASE WHEN id > 1 THEN boss_id END FROM doctors GROUP BY id
SELECT doctors.id, wards.beds FROM doctors JOIN wards ON doctors.id = wards.id GROUP BY doctors.id
SELECT sum(count(*)) FROM doctors GROUP BY id
SELECT max(count(*)) OVER () FROM doctors GROUP BY id
SELECT sum(id) OVER (PARTITION BY boss_id) FROM doctors GROUP BY boss_id
SELECT sum(sum(id)) OVER (PARTITION BY boss_id) FROM doctors GROUP BY boss_id
SELECT rank() OVER (ORDER BY count(*) DESC) FROM doctors GROUP BY id
SELECT id, row_number() OVER (ORDER BY id) AS r FROM doctors WHERE r = 1
SELECT id, row_number() OVER (ORDER BY id) AS r FROM doctors HAVING r = 1
SELECT id, row_number() OVER (ORDER BY id) AS r FROM doctors ORDER BY r
SELECT id, row_number() OVER (ORDER BY id) AS r FROM doctors GROUP BY id, r
SELECT doctors.* , count(*) FROM doctors GROUP BY id
SELECT count(DISTINCT id, boss_id) FROM doctors
SELECT count(DISTINCT id), sum(DISTINCT boss_id) FROM doctors
SELECT id.boss_id FROM doctors id
SELECT id.id FROM doctors id
SELECT id FROM doctors id
SELECT "id" FROM doctors
SELECT 'id' FROM doctors
SELECT T.A FROM doctors
SELECT T.id FROM T
SELECT doctors.A FROM doctors
SELECT id FROM doctors, wards
SELECT doctors.id FROM doctors, wards WHERE doctors.id = wards.id
SELECT doctors.id FROM doctors CROSS JOIN wards
SELECT doctors.id FROM doctors JOIN wards
SELECT doctors.id FROM doctors INNER JOIN wards WHERE doctors.id = wards.id
SELECT doctors.id FROM doctors LEFT JOIN wards WHERE doctors.id = wards.id
SELECT doctors.id FROM doctors FULL OUTER JOIN wards ON doctors.id = wards.id
SELECT doctors.id FROM doctors RIGHT JOIN wards ON doctors.id = wards.id
SELECT doctors.id FROM doctors JOIN wards ON wards.id = x.id JOIN doctors x ON x.id = doctors.id
SELECT doctors.id FROM doctors JOIN (SELECT id FROM wards WHERE wards.id = doctors.id) y ON 1 = 1
SELECT doctors.id FROM doctors, (SELECT id FROM wards WHERE wards.id = doctors.id) y
SELECT doctors.id FROM doctors, LATERAL (SELECT id FROM wards WHERE wards.id = doctors.id) y
SELECT doctors.id FROM doctors CROSS JOIN LATERAL (SELECT beds FROM wards WHERE wards.id = doctors.id LIMIT 1) y
SELECT id, boss_id, count(*) FROM doctors GROUP BY ROLLUP (id, boss_id)
SELECT id, boss_id, count(*) FROM doctors GROUP BY ROLLUP (id)
SELECT id, count(*) FROM doctors GROUP BY CUBE (id, boss_id) ORDER BY id
SELECT id, boss_id, count(*) FROM doctors GROUP BY GROUPING SETS ((id), (boss_id), ())
SELECT id, grouping(id) FROM doctors GROUP BY ROLLUP (id)
SELECT id, count(*) FROM doctors GROUP BY id WITH ROLLUP
SELECT id, sum(boss_id) OVER w FROM doctors WINDOW w AS (PARTITION BY id ORDER BY boss_id)
SELECT id, sum(boss_id) OVER (w ORDER BY boss_id) FROM doctors WINDOW w AS (PARTITION BY id)
SELECT id, sum(boss_id) OVER ghost FROM doctors
SELECT * FROM (SELECT id, rank() OVER (ORDER BY boss_id) AS r FROM doctors) x WHERE r <= 3
SELECT id FROM (SELECT id, rank() OVER (ORDER BY boss_id) AS r FROM doctors) WHERE r = 1
SELECT id, rank() OVER (PARTITION BY full_name ORDER BY boss_id DESC) AS r FROM doctors QUALIFY r = 1
SELECT id, first_value(boss_id) OVER (PARTITION BY full_name ORDER BY id) FROM doctors
SELECT id, last_value(boss_id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM doctors
SELECT id, nth_value(boss_id, 2) OVER (ORDER BY id) FROM doctors
SELECT id, cume_dist() OVER (ORDER BY id), percent_rank() OVER (ORDER BY id) FROM doctors
SELECT id, count(*) OVER (PARTITION BY id, boss_id) * 1.0 / count(*) OVER () FROM doctors
SELECT id, sum(boss_id) / sum(sum(boss_id)) OVER () FROM doctors GROUP BY id
SELECT id, avg(boss_id) OVER (ORDER BY id ROWS 2 PRECEDING) FROM doctors
SELECT id, lag(boss_id) OVER () FROM doctors
SELECT rank() FROM doctors
SELECT row_number() OVER (ORDER BY id), id FROM doctors ORDER BY row_number() OVER (ORDER BY id)
WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 5) SELECT * FROM r
WITH RECURSIVE r (x) AS (SELECT id FROM doctors WHERE boss_id IS NULL UNION ALL SELECT doctors.id FROM doctors JOIN r ON doctors.boss_id = r.x) SELECT x FROM r
WITH RECURSIVE r AS (SELECT id, boss_id, 0 AS lvl FROM doctors WHERE boss_id IS NULL UNION ALL SELECT doctors.id, doctors.boss_id, r.lvl + 1 FROM doctors JOIN r ON doctors.boss_id = r.id) SELECT * FROM r ORDER BY lvl
WITH RECURSIVE r AS (SELECT id, full_name FROM doctors UNION ALL SELECT doctors.id, r.full_name || '/' || doctors.full_name FROM doctors JOIN r ON doctors.boss_id = r.id) SELECT * FROM r
WITH r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 5) SELECT * FROM r
WITH x AS (SELECT id FROM doctors), x AS (SELECT boss_id FROM doctors) SELECT * FROM x
WITH x AS (SELECT id FROM doctors) SELECT * FROM x, y
WITH x AS (SELECT id, sum(boss_id) AS s FROM doctors GROUP BY id), y AS (SELECT avg(s) AS m FROM x) SELECT x.id FROM x, y WHERE x.s > y.m
WITH x AS (SELECT id, sum(boss_id) AS s FROM doctors GROUP BY id) SELECT id FROM x WHERE s > (SELECT avg(s) FROM x)
WITH x AS (SELECT id, sum(boss_id) FROM doctors GROUP BY id) SELECT id, s FROM x
WITH x AS (SELECT id FROM doctors ORDER BY boss_id LIMIT 3) SELECT * FROM x WHERE boss_id = 1
WITH x AS (SELECT DISTINCT id FROM doctors), y AS (SELECT * FROM x JOIN wards USING (id)) SELECT id, beds FROM y
SELECT * FROM doctors WHERE (id, boss_id) IN (SELECT id, beds FROM wards)
SELECT * FROM doctors WHERE (id, boss_id) IN ((1, 2), (3, 4))
SELECT * FROM doctors WHERE (id, boss_id) = (1, 2)
SELECT * FROM doctors WHERE (id, boss_id) > (1, 2)
SELECT * FROM doctors WHERE id = (SELECT id, beds FROM wards)
SELECT * FROM doctors WHERE id IN (SELECT id, beds FROM wards)
SELECT * FROM doctors WHERE id > ALL (SELECT beds FROM wards)
SELECT * FROM doctors WHERE id = ANY (SELECT beds FROM wards)
SELECT * FROM doctors WHERE id > (SELECT avg(beds) FROM wards)
SELECT * FROM doctors WHERE id = max(boss_id)
SELECT * FROM doctors WHERE id = (SELECT max(id) FROM doctors)
SELECT * FROM doctors x WHERE boss_id = (SELECT max(boss_id) FROM doctors y WHERE y.full_name = x.full_name)
SELECT * FROM doctors x WHERE 2 = (SELECT count(DISTINCT boss_id) FROM doctors y WHERE y.boss_id >= x.boss_id)
SELECT full_name, (SELECT count(*) FROM wards WHERE wards.id = doctors.id) AS k FROM doctors ORDER BY k DESC
SELECT full_name, (SELECT count(*) FROM wards WHERE wards.id = doctors.id) AS k FROM doctors WHERE k > 1
SELECT full_name, (SELECT beds FROM wards WHERE wards.id = doctors.id LIMIT 1) AS k FROM doctors GROUP BY full_name
SELECT full_name, max((SELECT beds FROM wards WHERE wards.id = doctors.id LIMIT 1)) FROM doctors GROUP BY full_name
SELECT CASE WHEN EXISTS (SELECT 1 FROM wards WHERE wards.id = doctors.id) THEN 'y' ELSE 'full_name' END, count(*) FROM doctors GROUP BY 1
SELECT CASE WHEN id > 1 THEN 'x' ELSE 'y' END AS g, count(*) FROM doctors GROUP BY g
SELECT CASE WHEN id > 1 THEN 'x' ELSE 'y' END AS g, count(*) FROM doctors GROUP BY CASE WHEN id > 1 THEN 'x' ELSE 'y' END ORDER BY g
SELECT CASE WHEN id > 1 THEN 'x' ELSE 'y' END AS g, count(*) FROM doctors GROUP BY id
SELECT count(*) FROM doctors HAVING count(*) > 1
SELECT count(*) FILTER (WHERE id > 1), sum(boss_id) FILTER (WHERE full_name = 'x') FROM doctors
SELECT count(CASE WHEN id > 1 THEN 1 END) FROM doctors
SELECT id FROM doctors INTERSECT SELECT id FROM wards EXCEPT SELECT beds FROM wards
SELECT id FROM doctors MINUS SELECT id FROM wards
(SELECT id FROM doctors) UNION (SELECT id FROM wards)
SELECT id FROM doctors UNION SELECT id FROM wards ORDER BY boss_id
SELECT id, full_name FROM doctors UNION ALL SELECT id, beds FROM wards
SELECT id FROM doctors UNION ALL SELECT full_name FROM doctors
SELECT * FROM doctors UNION ALL SELECT *, 1 FROM wards
SELECT * FROM (VALUES (1, 'id'), (2, 'boss_id')) AS v(id, name)
SELECT column1 FROM (VALUES (1, 'id')) AS v
SELECT v.id FROM (VALUES (1)) AS v(id) JOIN doctors ON doctors.id = v.id
VALUES (1), (2)
SELECT id FROM doctors LIMIT 5 OFFSET 2
SELECT id FROM doctors OFFSET 2 LIMIT 5
SELECT id FROM doctors LIMIT 2, 5
SELECT TOP 5 id FROM doctors
SELECT id FROM doctors FETCH FIRST 5 ROWS ONLY
SELECT id FROM doctors ORDER BY id OFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY
SELECT id FROM doctors ORDER BY id DESC NULLS LAST
SELECT id FROM doctors ORDER BY id IS NULL, id
SELECT id FROM doctors ORDER BY CASE WHEN id = 1 THEN 0 ELSE 1 END, full_name
SELECT id FROM doctors ORDER BY random()
SELECT id FROM doctors ORDER BY rand()
SELECT id FROM doctors FOR UPDATE
SELECT id FROM doctors TABLESAMPLE SYSTEM (10)
SELECT id FROM doctors USING SAMPLE 10
SELECT doctors.id FROM doctors LEFT JOIN LATERAL (SELECT beds FROM wards WHERE wards.id = doctors.id ORDER BY beds LIMIT 1) x ON true
SELECT doctors.id, x.beds FROM doctors LEFT JOIN (SELECT id, max(beds) AS beds FROM wards GROUP BY id) x ON x.id = doctors.id
SELECT doctors.id, x.m FROM doctors LEFT JOIN (SELECT id, max(beds) FROM wards GROUP BY id) x ON x.id = doctors.id
SELECT doctors.id FROM doctors LEFT JOIN wards ON doctors.id = wards.id AND wards.beds > 1 WHERE wards.id IS NULL
SELECT doctors.id FROM doctors JOIN wards ON doctors.id = wards.id JOIN wards ON wards.beds = doctors.boss_id
SELECT doctors.id FROM doctors JOIN wards x ON doctors.id = x.id JOIN wards y ON y.id = x.beds
SELECT doctors.id FROM (doctors JOIN wards ON doctors.id = wards.id)
SELECT doctors.id FROM doctors JOIN (wards JOIN doctors x ON x.id = wards.id) ON doctors.id = wards.id
SELECT id.id FROM doctors AS id, wards AS boss_id WHERE id.id = boss_id.id
SELECT "doctors".id FROM doctors
SELECT doctors.id AS "my id" FROM doctors ORDER BY "my id"
SELECT doctors.id AS 'my id' FROM doctors
SELECT doctors.id my_a FROM doctors WHERE my_a > 1
SELECT doctors.id order FROM doctors
SELECT doctors.id AS order FROM doctors
SELECT doctors.id AS value, doctors.boss_id AS date, doctors.full_name AS name FROM doctors ORDER BY value, date, name
SELECT doctors.id AS count, doctors.boss_id AS rank FROM doctors ORDER BY count, rank
SELECT doctors.id AS user, doctors.boss_id AS group FROM doctors
SELECT id FROM doctors WHERE full_name LIKE '%x%' AND full_name NOT LIKE 'y_' ESCAPE '!'
SELECT id FROM doctors WHERE full_name IS NOT NULL AND NOT (id = 1 OR boss_id <> 2)
SELECT id FROM doctors WHERE id != 1 AND boss_id <> 2 AND full_name == 'x'
SELECT id FROM doctors WHERE id = NULL
SELECT id FROM doctors WHERE full_name = "x"
SELECT id FROM doctors WHERE full_name = x
SELECT id FROM doctors WHERE id BETWEEN 1 AND 5 AND boss_id NOT BETWEEN 2 AND 3
SELECT id FROM doctors WHERE id IN (1, 2, NULL) AND boss_id NOT IN (SELECT beds FROM wards)
SELECT id, FROM doctors
SELECT id boss_id beds FROM doctors
SELECT id FROM doctors WHERE
SELECT id FROM WHERE id = 1
SELECT FROM doctors
SELECT id FROM doctors GROUP BY
SELECT * doctors FROM doctors
SELECT id FROM doctors t2 WHERE doctors.id = 1
SELECT count(id, boss_id) FROM doctors
SELECT count() FROM doctors
SELECT sum(*) FROM doctors
SELECT avg(id, boss_id) FROM doctors
SELECT round() FROM doctors
SELECT upper(full_name, full_name) FROM doctors
SELECT coalesce() FROM doctors
SELECT coalesce(full_name) FROM doctors
SELECT nullif(full_name) FROM doctors
SELECT substr(full_name) FROM doctors
SELECT replace(full_name, 'id') FROM doctors
SELECT ghost_function(id) FROM doctors
SELECT doctors.ghost_function(id) FROM doctors
SELECT id FROM doctors;
SELECT id FROM doctors; SELECT boss_id FROM doctors
SELECT dense_rank() FROM doctors
SELECT percent_rank() FROM doctors GROUP BY id
SELECT row_number() FROM doctors
SELECT rank(1) WITHIN GROUP (ORDER BY id) FROM doctors
SELECT rank() OVER (ORDER BY id) FROM doctors
SELECT cume_dist(1) WITHIN GROUP (ORDER BY id) FROM doctors
SELECT rank(id) FROM doctors
SELECT ntile(4) FROM doctors
SELECT lag(id) FROM doctors
SELECT first_value(id) FROM doctors
SELECT "doctors"."id" FROM doctors
SELECT doctors."id" FROM doctors
SELECT "doctors"."id" FROM "doctors"
SELECT "id" FROM "doctors"
SELECT doctors.id FROM doctors ORDER BY "doctors".id
SELECT doctors.id FROM doctors WHERE "doctors"."id" = 1
SELECT id AS "x y" FROM doctors
SELECT id "x" FROM doctors
SELECT x."id" FROM doctors AS "x"
SELECT x.id FROM doctors AS "x"
SELECT count(*) AS "count" FROM doctors ORDER BY "count"
-- changes with FROM, tables and views of queries
UPDATE doctors SET id = wards.beds FROM wards WHERE wards.id = doctors.ward_id
UPDATE doctors SET beds = 1 FROM wards WHERE wards.id = doctors.ward_id
UPDATE doctors SET full_name = wards.title FROM wards WHERE wards.id = doctors.ward_id
UPDATE doctors SET salary = beds FROM wards WHERE wards.id = ward_id
UPDATE doctors SET salary = ghost FROM wards WHERE wards.id = ward_id
UPDATE doctors SET ghost = beds FROM wards WHERE wards.id = ward_id
-- Constants for terms, merged columns, frames, names of words, rows, quantifiers
SELECT id FROM wards ORDER BY 2.5
SELECT id FROM wards ORDER BY NULL
SELECT id FROM wards ORDER BY TRUE
SELECT id FROM wards ORDER BY -1
SELECT id FROM wards ORDER BY (NULL)
SELECT id FROM wards ORDER BY ('x')
SELECT id FROM wards ORDER BY id, NULL
SELECT count(*) FROM wards GROUP BY 2.5
SELECT count(*) FROM wards GROUP BY NULL
SELECT count(*) FROM wards GROUP BY -1
SELECT count(*) FROM wards GROUP BY id, NULL
SELECT id FROM wards UNION SELECT id FROM doctors ORDER BY 2.5
SELECT count(*) FROM wards GROUP BY (id, title)
SELECT id FROM wards UNION SELECT id FROM doctors ORDER BY max(id)
SELECT row_number() OVER (ORDER BY NULL) FROM wards
SELECT 1 FROM wards w JOIN doctors d ON w.id = d.id JOIN patients p USING (id)
SELECT 1 FROM wards CROSS JOIN doctors JOIN patients USING (id)
SELECT 1 FROM wards JOIN doctors USING (id) JOIN patients USING (id)
SELECT 1 FROM wards, doctors JOIN patients USING (id)
SELECT 1 FROM wards, doctors JOIN patients USING (full_name)
SELECT 1 FROM wards, doctors JOIN drugs USING (title)
SELECT 1 FROM wards, (SELECT id FROM doctors) d JOIN drugs USING (title)
SELECT 1 FROM wards w JOIN doctors d ON w.id = d.id NATURAL JOIN patients
SELECT 1 FROM wards NATURAL JOIN (SELECT salary FROM doctors) d
SELECT 1 FROM wards NATURAL LEFT JOIN given
SELECT id FROM wards JOIN doctors USING (id) JOIN patients p ON p.id = wards.id
SELECT id FROM wards NATURAL JOIN doctors JOIN patients p ON p.city = wards.title
SELECT title FROM wards, doctors JOIN patients p ON title = p.city
SELECT 0 AS n FROM wards JOIN doctors ON n < doctors.id
SELECT wards.id AS n FROM wards JOIN doctors ON n = doctors.ward_id
SELECT 1 FROM visits JOIN (SELECT 'x' AS id) AS t USING (id)
SELECT ntile(4) OVER (ORDER BY id ROWS CURRENT ROW) FROM wards
SELECT rank() OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM wards
SELECT row_number() OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM wards
SELECT lag(id) OVER (ORDER BY id ROWS CURRENT ROW) FROM wards
SELECT first_value(id) OVER (ORDER BY id ROWS CURRENT ROW) FROM wards
SELECT lead(hired) OVER (ORDER BY id) AS id FROM doctors
SELECT lead(hired) OVER (PARTITION BY id) AS id FROM doctors
SELECT count(*) FROM wards WINDOW w AS (ORDER BY beds)
WITH w AS (SELECT CURRENT_DATE, id FROM wards) SELECT w.CURRENT_DATE FROM w
SELECT t.CURRENT_TIMESTAMP FROM (SELECT CURRENT_TIMESTAMP) AS t
SELECT 1 FROM (SELECT CURRENT_DATE, CURRENT_DATE) AS t
SELECT id = ANY (SELECT 1) = TRUE FROM wards
SELECT DISTINCT id, CASE WHEN id IS NULL THEN 1 END FROM wards WHERE beds IS DISTINCT FROM 5
SELECT DISTINCT id FROM wards WHERE beds IS NOT NULL AND id <=> 1
SELECT DISTINCT * FROM wards ORDER BY beds + 1
SELECT DISTINCT * FROM wards ORDER BY beds
SELECT DISTINCT * FROM wards ORDER BY lower(title)
SELECT DISTINCT w.* FROM wards w, doctors d ORDER BY d.salary
SELECT DISTINCT w.* FROM wards w, doctors d ORDER BY salary
SELECT DISTINCT * FROM visits
SELECT DISTINCT details FROM visits
SELECT details FROM visits GROUP BY details
SELECT * FROM visits ORDER BY details
SELECT details FROM visits UNION SELECT details FROM visits
SELECT max(ORDER BY id) FROM wards
SELECT 1 FROM wards WHERE EXISTS (SELECT max(wards.id) FROM doctors)
SELECT 1 FROM wards WHERE EXISTS (SELECT 1 FROM doctors HAVING max(wards.id) > 1)
SELECT 1 FROM wards WHERE (SELECT max(wards.id)) > 1
SELECT title, (SELECT sum(1) FILTER (WHERE wards.id > 1) FROM doctors) FROM wards
SELECT title, (SELECT sum(1) FILTER (WHERE doctors.id > wards.id) FROM doctors) FROM wards
SELECT count(*) FILTER (WHERE id) FROM wards
SELECT 1 FROM wards WHERE (id, title) = (title, id)
SELECT 1 FROM wards WHERE (id, title) IN ((1, 'x'), (2, 'y'))
SELECT 1 FROM wards WHERE (id, title) IN ((1, 2), (2, 3))
SELECT 1 FROM wards WHERE (id, title) IN (SELECT ward_id, full_name FROM doctors)
SELECT 1 FROM wards WHERE (id, title) IN (SELECT full_name, ward_id FROM doctors)
SELECT 1 FROM wards WHERE (id, title) IN (SELECT ward_id, full_name FROM doctors WHERE ward_id = wards.beds)
SELECT 1 FROM wards WHERE id IN (SELECT 'x')
SELECT 1 FROM doctors WHERE hired IN (SELECT '2020-01-01')
SELECT 1 FROM doctors WHERE hired > (SELECT '2020-01-01')
SELECT (SELECT '2020-01-31') + 1
SELECT '2020-01-31' - INTERVAL '1 month'
SELECT date_trunc('month', '2020-01-31')
SELECT to_char('2020-01-31', 'YYYY-MM')
SELECT date_part('month', '2020-01-31')
SELECT round(date_part('month', started), 2) FROM visits
SELECT round(extract(month FROM started), 2) FROM visits
SELECT date_part('year', started) % 4 FROM visits
SELECT lag('x') OVER (ORDER BY id) FROM wards
SELECT coalesce('2020-01-01', '2020-01-02') < hired FROM doctors
SELECT CASE WHEN id > 1 THEN '2020-01-01' END < hired FROM doctors
SELECT CASE NULL WHEN 1 THEN 2 END FROM wards
SELECT '2020-01-01' BETWEEN '2019-01-01' AND hired FROM doctors
SELECT hired BETWEEN '2019-01-01' AND '2020-01-01' FROM doctors
SELECT 1 FROM wards WHERE title = ANY (ARRAY['a', 'b'])
SELECT 1 FROM wards WHERE id = ANY (ARRAY['a', 'b'])
SELECT 1 FROM wards WHERE id <> ALL (ARRAY['a', 'b'])
SELECT 1 FROM wards WHERE 'x' = ANY (ARRAY[1, 2])
SELECT 1 FROM wards WHERE id = ANY (ARRAY(SELECT full_name FROM doctors))
SELECT 1 FROM wards WHERE id = ANY (SELECT full_name FROM doctors)
SELECT sum(nullif(NULL, id)) FROM wards
SELECT first_value(nullif('a', '')) OVER (ORDER BY id) FROM wards
SELECT DISTINCT NULL UNION SELECT 1
SELECT NULL UNION SELECT 1
SELECT percentile_cont(0.5) WITHIN GROUP () FROM wards
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) AS m FROM wards GROUP BY m
SELECT 'x' AS code FROM drugs a, drugs b GROUP BY code
SELECT max(id) AS id FROM patients ORDER BY nullif(id, id)
SELECT max(id) AS n FROM patients ORDER BY (n)
SELECT title, [title] FROM wards
SELECT title FROM wards GROUP BY title WITH ROLLUP ORDER BY title
SELECT title FROM wards QUALIFY id > 1
SELECT title, count(*) FROM wards GROUP BY title HAVING 1 = 1 WINDOW w AS (ORDER BY beds)
UPDATE wards SET title = 5
UPDATE wards SET beds = title
UPDATE wards SET beds = 'x'
UPDATE visits SET details = details
UPDATE wards SET beds = beds + 1 WHERE title
INSERT INTO wards (beds) SELECT title FROM wards
INSERT INTO wards (title) SELECT beds FROM wards
INSERT INTO wards (beds, title) VALUES ('x', 'y')
SELECT binary('a')
SELECT likelihood(1, 0.5)
SELECT count(*) wards JOIN doctors ON doctors.id = 1
SELECT length(date 1) FROM wards
SELECT id FROM wards WINDOW w AS (ORDER BY ghost)
SELECT rank() OVER w FROM wards WINDOW w AS (ORDER BY ghost)
SELECT rank() OVER (w ORDER BY id) FROM wards WINDOW w AS (PARTITION BY ghost)
SELECT rank() OVER v FROM wards WINDOW w AS (PARTITION BY beds), v AS (w ORDER BY id)
SELECT rank() OVER v FROM wards WINDOW w AS (PARTITION BY ghost), v AS (w ORDER BY id)
SELECT sum(salary) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND CURRENT ROW) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS 1 FOLLOWING) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS UNBOUNDED FOLLOWING) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 3 PRECEDING) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND CURRENT ROW) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS CURRENT ROW) FROM doctors
SELECT sum(salary) OVER (ORDER BY id ROWS BETWEEN ward_id PRECEDING AND CURRENT ROW) FROM doctors
SELECT sum(salary) OVER (w PARTITION BY ward_id) FROM doctors WINDOW w AS (ORDER BY id)
SELECT sum(salary) OVER (w ORDER BY id) FROM doctors WINDOW w AS (PARTITION BY ward_id)
SELECT sum(salary) OVER (w ROWS 1 PRECEDING) FROM doctors WINDOW w AS (PARTITION BY ward_id ORDER BY id)
SELECT rank() FILTER (WHERE id > 1) OVER (ORDER BY id) FROM doctors
SELECT sum(salary) FILTER (WHERE id > 1) OVER (ORDER BY id) FROM doctors
SELECT sum(salary) FILTER (WHERE sum(salary) > 1) FROM doctors
SELECT sum(salary) FILTER (WHERE rank() OVER (ORDER BY id) = 1) FROM doctors
SELECT sum(salary) FILTER (WHERE id IN (SELECT max(id) FROM wards)) FROM doctors
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT a.n + 1 FROM t a, t b WHERE a.n < 5) SELECT n FROM t
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT id FROM wards WHERE id IN (SELECT n FROM t)) SELECT n FROM t
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT id FROM wards WHERE EXISTS (SELECT 1 FROM t WHERE n = id)) SELECT n FROM t
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT w.id FROM wards w LEFT JOIN t ON t.n = w.id) SELECT n FROM t
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT w.id FROM t LEFT JOIN wards w ON t.n = w.id) SELECT n FROM t
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT w.id FROM t RIGHT JOIN wards w ON t.n = w.id) SELECT n FROM t
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT x.n + 1 FROM (SELECT n FROM t WHERE n < 5) x) SELECT n FROM t
WITH RECURSIVE t (n) AS (SELECT 1 EXCEPT SELECT n + 1 FROM t) SELECT n FROM t
WITH RECURSIVE t (n) AS (SELECT 1 INTERSECT SELECT n + 1 FROM t) SELECT n FROM t
WITH RECURSIVE t (n) AS (SELECT n FROM t UNION ALL SELECT 1) SELECT n FROM t
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5 UNION ALL SELECT n + 2 FROM t WHERE n < 5) SELECT n FROM t
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t
WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < (SELECT max(id) FROM wards)) SELECT n FROM t
SELECT ward_id, count(*) FROM doctors GROUP BY ward_id FOR UPDATE
SELECT DISTINCT ward_id FROM doctors FOR UPDATE
SELECT count(*) FROM doctors FOR UPDATE
SELECT id FROM doctors FOR UPDATE
UPDATE doctors AS d SET d.salary = 1 WHERE d.id = 1
UPDATE doctors SET doctors.salary = 1
UPDATE doctors, wards SET salary = 1 WHERE wards.id = doctors.ward_id
INSERT INTO wards (id, id) VALUES (1, 2)
INSERT INTO wards (id, ID) VALUES (1, 2)
INSERT INTO wards SET id = 1
INSERT INTO wards (id, title) VALUES (1, DEFAULT)
INSERT INTO wards (id, beds) VALUES (1, 2) ON CONFLICT DO UPDATE SET beds = 3
INSERT INTO wards (id, beds) VALUES (1, 2) ON CONFLICT DO NOTHING
INSERT INTO wards (id, beds) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET beds = excluded.beds
DELETE FROM doctors JOIN wards ON wards.id = doctors.ward_id WHERE wards.beds = 0
WITH gone AS (DELETE FROM wards WHERE beds = 0 RETURNING id) SELECT count(*) FROM gone
WITH made AS (INSERT INTO wards (id) VALUES (1) RETURNING id) SELECT id FROM made
VALUES (2, 'b'), (1, 'a') ORDER BY 1
VALUES (2, 'b'), (1, 'a') LIMIT 1
SELECT city FROM patients GROUP BY DISTINCT city
SELECT full_name FROM patients WHERE city LIKE ('a%', 'b%')
SELECT full_name FROM patients WHERE city LIKE ('a%')
SELECT d.full_name FROM doctors d STRAIGHT_JOIN wards w
SELECT d.full_name FROM doctors d LEFT SEMI JOIN wards w ON w.id = d.ward_id
SELECT full_name FROM doctors START WITH boss_id IS NULL CONNECT BY PRIOR id = boss_id
SELECT position('a', full_name) FROM doctors
SELECT position('a' IN full_name) FROM doctors
SELECT sum(beds) FILTER (WHERE count(*) > 1) FROM wards
SELECT sum(beds) OVER (ORDER BY rank() OVER (ORDER BY id)) FROM wards
SELECT sum(beds) OVER (PARTITION BY row_number() OVER (ORDER BY id)) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 3 PRECEDING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND CURRENT ROW) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 3 PRECEDING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS 3 FOLLOWING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) FROM wards
SELECT sum(beds) OVER (ORDER BY id RANGE UNBOUNDED PRECEDING) FROM wards
SELECT w.id FROM wards w LEFT SEMI JOIN doctors d ON d.ward_id = w.id
SELECT w.id FROM wards w LEFT ANTI JOIN doctors d ON d.ward_id = w.id
UPDATE wards SET wards.beds = 3
UPDATE wards AS w SET w.beds = 3
WITH RECURSIVE r AS (SELECT id, boss_id FROM doctors UNION ALL SELECT d.id, d.boss_id FROM doctors d LEFT JOIN r ON d.boss_id = r.id) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id, boss_id FROM doctors UNION ALL SELECT d.id, d.boss_id FROM r LEFT JOIN doctors d ON d.boss_id = r.id) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id, boss_id FROM doctors UNION ALL SELECT d.id, d.boss_id FROM doctors d RIGHT JOIN r ON d.boss_id = r.id) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id, boss_id FROM doctors UNION ALL SELECT d.id, d.boss_id FROM r RIGHT JOIN doctors d ON d.boss_id = r.id) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id FROM doctors UNION ALL SELECT d.id FROM doctors d WHERE d.boss_id IN (SELECT id FROM r)) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id FROM doctors UNION ALL SELECT d.id FROM doctors d WHERE EXISTS (SELECT 1 FROM r WHERE r.id = d.boss_id)) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id FROM doctors UNION ALL SELECT d.id FROM doctors d WHERE d.boss_id = (SELECT max(id) FROM r)) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id FROM doctors UNION ALL SELECT d.id FROM doctors d, r WHERE d.boss_id = r.id AND d.id NOT IN (SELECT id FROM r)) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id FROM doctors UNION ALL SELECT a.id FROM r a, r b WHERE a.id = b.id) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id FROM doctors UNION ALL SELECT DISTINCT d.id FROM doctors d, r WHERE d.boss_id = r.id) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id FROM doctors UNION ALL SELECT count(*) FROM r) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id FROM doctors UNION ALL SELECT d.id FROM doctors d LEFT JOIN wards w ON w.id = d.ward_id JOIN r ON d.boss_id = r.id) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id FROM doctors UNION ALL SELECT d.id, 1 FROM doctors d JOIN r ON d.boss_id = r.id) SELECT * FROM r
SELECT * FROM wards w JOIN doctors d JOIN visits v ON v.doctor_id = d.id
SELECT * FROM wards w JOIN doctors d JOIN visits v ON v.doctor_id = w.id
SELECT * FROM wards w JOIN (doctors d JOIN visits v ON v.doctor_id = d.id) ON d.ward_id = w.id
SELECT * FROM wards w, doctors d LEFT JOIN visits v ON v.doctor_id IN (SELECT id FROM drugs WHERE stock = w.id)
SELECT * FROM wards w, doctors d LEFT JOIN visits v ON EXISTS (SELECT 1 FROM patients p WHERE p.id = w.id)
SELECT * FROM wards w, doctors d LEFT JOIN visits v ON v.reason REGEXP w.title
SELECT * FROM wards w, doctors d JOIN visits v ON v.doctor_id = w.id
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND CURRENT ROW) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 2 PRECEDING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED PRECEDING) FROM wards
SELECT rank() OVER (ORDER BY rank() OVER (ORDER BY id)) FROM wards
SELECT sum(rank() OVER (ORDER BY id)) OVER () FROM wards
SELECT lag(rank() OVER (ORDER BY id)) OVER (ORDER BY id) FROM wards
SELECT rank() OVER w FROM wards WINDOW w AS (ORDER BY rank() OVER (ORDER BY id))
SELECT rank() OVER (ORDER BY sum(beds)) FROM wards
SELECT rank() OVER (ORDER BY sum(beds) OVER ()) FROM wards
INSERT INTO wards (id, beds) SELECT id, 1 FROM doctors WHERE id > 1 ON CONFLICT (id) DO UPDATE SET beds = excluded.beds WHERE wards.beds < 5
SELECT id FROM wards WHERE ANY (SELECT id FROM doctors) = id
UPDATE wards SET beds = 1, beds = 2
UPDATE wards SET beds = 1, title = 'x'
REPLACE INTO wards (id, title) VALUES (1, 'a')
REPLACE INTO wards (id, ghost) VALUES (1, 'a')
REPLACE INTO wards (id, title) SELECT id, full_name FROM doctors
REPLACE INTO ghosts VALUES (1)
SELECT id FROM wards ORDER BY id ASC DESC
SELECT id, title FROM wards ORDER BY title, LIMIT 3
SELECT extract(YEAR, hired) FROM doctors
SELECT extract(YEAR FROM hired) FROM doctors
SELECT w.id FROM wards w RIGHT SEMI JOIN doctors d ON d.ward_id = w.id
SELECT w.id FROM wards w RIGHT ANTI JOIN doctors d ON d.ward_id = w.id
INSERT INTO wards VALUES (1, 'a')
INSERT INTO wards VALUES (1, 'a', 3, 4)
INSERT INTO wards SELECT id, full_name, 3 FROM doctors
INSERT INTO wards (id) SELECT id FROM doctors ON CONFLICT (id) DO NOTHING
INSERT INTO wards (id) SELECT id FROM doctors WHERE true ON CONFLICT (id) DO NOTHING
INSERT INTO wards (id) SELECT id FROM doctors GROUP BY id ON CONFLICT (id) DO NOTHING
INSERT INTO wards (id, title) VALUES (1, 'a') AS fresh ON DUPLICATE KEY UPDATE title = fresh.title
INSERT INTO wards (id, title) VALUES (1, 'a') AS fresh ON DUPLICATE KEY UPDATE title = 'b'
VALUES ROW(1, 2), ROW(3, 4)
SELECT * FROM (VALUES ROW(1, 2)) AS t
SELECT string_agg(full_name, ',' ORDER BY id) OVER (PARTITION BY ward_id) FROM doctors
SELECT DISTINCTROW ward_id FROM doctors
SELECT x FROM (SELECT 1 AS x) AS t ORDER BY x USING >
UPDATE OR IGNORE wards SET id = 2
UPDATE wards OR IGNORE SET id = 2
SELECT w.id, d.id FROM wards w, doctors d ON d.ward_id = w.id
SELECT 'a'.upper()
SELECT t.a FROM JSON_TABLE('[]', '$[*]' COLUMNS (a int PATH '$')) AS t
INSERT INTO wards (id) VALUES (1) RETURNING id
WITH a AS (SELECT 1 AS x) WITH b AS (SELECT 2 AS y) SELECT x, y FROM a, b
MERGE INTO wards USING doctors d ON d.ward_id = wards.id WHEN MATCHED THEN UPDATE SET title = d.full_name WHEN NOT MATCHED THEN INSERT (id, title) VALUES (d.id, 'a')
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN MATCHED AND d.id > 3 THEN DELETE WHEN NOT MATCHED THEN DO NOTHING
MERGE INTO wards w USING (SELECT id, max(title) AS title FROM wards GROUP BY id) s ON s.id = w.id WHEN MATCHED THEN UPDATE SET title = s.title, beds = w.beds + 1
MERGE INTO wards w USING doctors d ON d.ghost = w.id WHEN MATCHED THEN DELETE
MERGE INTO ghosts w USING doctors d ON d.id = w.id WHEN MATCHED THEN DELETE
MERGE INTO wards w USING ghosts d ON d.id = w.id WHEN MATCHED THEN DELETE
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN MATCHED THEN UPDATE SET ghost = 1
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN MATCHED THEN UPDATE SET title = d.ghost
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN NOT MATCHED THEN INSERT (id, ghost) VALUES (1, 2)
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN NOT MATCHED THEN INSERT (id, title) VALUES (1)
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN NOT MATCHED THEN INSERT (id, title) VALUES (d.ghost, 'a')
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN NOT MATCHED THEN INSERT (id, title) VALUES (w.id, 'a')
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN NOT MATCHED AND d.id > 1 THEN INSERT VALUES (d.id, 'a', 3)
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN NOT MATCHED THEN INSERT (id, beds) VALUES (d.id, DEFAULT)
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN MATCHED THEN UPDATE SET beds = DEFAULT
MERGE INTO wards w USING doctors d ON id = w.id WHEN MATCHED THEN DELETE
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN MATCHED AND salary > 3 THEN UPDATE SET beds = 'many'
MERGE INTO wards w USING doctors d ON d.ward_id WHEN MATCHED THEN DELETE
WITH s AS (SELECT id FROM doctors) MERGE INTO wards w USING s ON s.id = w.id WHEN MATCHED THEN DELETE
MERGE INTO wards w USING doctors d ON d.ward_id = w.id WHEN NOT MATCHED THEN INSERT DEFAULT VALUES
SELECT w.id FROM wards w NATURAL JOIN drugs d ON d.stock = w.id
SELECT w.id FROM wards w NATURAL LEFT JOIN doctors d USING (id)
SELECT w.id FROM wards w LEFT INNER JOIN doctors d ON d.ward_id = w.id
SELECT w.id FROM wards w LEFT CROSS JOIN doctors d
SELECT id FROM wards SORT BY id
SELECT id FROM wards CLUSTER BY id
SELECT id FROM wards DISTRIBUTE BY id
WITH a AS (SELECT 1 AS x), WITH b AS (SELECT 2 AS y) SELECT x FROM a
WITH a AS (SELECT 1 AS x), RECURSIVE b AS (SELECT 2 AS y) SELECT x FROM a
SELECT id FROM wards LIMIT ALL
INSERT wards (id) VALUES (1)
INSERT INTO wards (id) VALUE (1)
SELECT 1a
SELECT 1e5 x, 2 y
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT sum(n) OVER () FROM t WHERE n < 5) SELECT n FROM t
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT t.n + 1 FROM t JOIN (SELECT row_number() OVER (ORDER BY id) AS r FROM wards) x ON x.r = t.n) SELECT n FROM t
SELECT * FROM wards w JOIN wards w ON 1 = 1
SELECT count(*) FROM wards w JOIN wards w ON 1 = 1
SELECT title FROM (wards w JOIN given g ON g.visit_id = w.id) AS j
SELECT id FROM wards ORDER BY id LIMIT 5 % 3
SELECT w.id FROM wards w, JOIN doctors d ON d.ward_id = w.id
SELECT w.id FROM wards w, INNER JOIN doctors d ON d.ward_id = w.id
SELECT w.id FROM wards w, CROSS JOIN doctors d
SELECT sum(beds) OVER (ORDER BY id ROWS 3) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS UNBOUNDED) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN 3 AND CURRENT ROW) FROM wards
SELECT sum(beds) OVER (ORDER BY id DESC ROWS BETWEEN CURRENT ROW AND 3) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED AND CURRENT ROW) FROM wards
SELECT id FROM patients WHERE full_name LIKE ('A%', 'B%')
SELECT id FROM patients WHERE full_name LIKE ('A%')
INSERT INTO wards (id, title, beds) VALUES (1, DEFAULT, DEFAULT), (2, 'b', 3)
SELECT id, gross FROM bills WHERE gross > 10
INSERT INTO bills (id, visit_id, net, tax) VALUES (1, 2, 3, 4)
INSERT INTO bills (id, net, tax, gross) VALUES (1, 3, 4, 7)
INSERT INTO bills (id, gross) VALUES (1, DEFAULT)
INSERT INTO bills (id, gross) VALUES (1, DEFAULT), (2, 5)
INSERT INTO bills (id, gross) SELECT id, salary FROM doctors
INSERT INTO bills VALUES (1, 2, 3, 4)
INSERT INTO bills VALUES (1, 2, 3, 4, 7)
INSERT INTO bills VALUES (1, 2, 3, 4, DEFAULT)
INSERT INTO bills VALUES (1, 2, 3)
INSERT INTO bills SELECT id, patient_id, cost, cost FROM visits
INSERT INTO bills SELECT id, patient_id, cost, cost, cost FROM visits
INSERT INTO bills SELECT * FROM bills
UPDATE bills SET gross = 5
UPDATE bills SET gross = DEFAULT
UPDATE bills SET net = gross - tax WHERE gross > 5
INSERT INTO bills (id, net) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET gross = 3
INSERT INTO bills (id, net) VALUES (1, 2) ON CONFLICT (net, visit_id) DO NOTHING
INSERT INTO bills (id, net) VALUES (1, 2) ON CONFLICT (visit_id) DO NOTHING
INSERT INTO bills (id, net) VALUES (1, 2) ON CONFLICT (net) DO UPDATE SET tax = excluded.tax
INSERT INTO wards (id, title) VALUES (1, 'a') ON CONFLICT (title) DO UPDATE SET title = excluded.title
INSERT INTO wards (id, title) VALUES (1, 'a') ON CONFLICT (id, title) DO NOTHING
INSERT INTO given (visit_id, drug_code, dose) VALUES (1, 'a', 2) ON CONFLICT (drug_code, visit_id) DO UPDATE SET dose = given.dose + excluded.dose
INSERT INTO given (visit_id, drug_code, dose) VALUES (1, 'a', 2) ON CONFLICT (visit_id) DO NOTHING
INSERT INTO given (visit_id, drug_code, dose) VALUES (1, 'a', 2) ON CONFLICT (visit_id, ghost) DO NOTHING
SELECT full_name, upper(full_name) FILTER (WHERE id > 1) FROM doctors
SELECT ward_id, coalesce(max(salary), 0) FILTER (WHERE id > 1) FROM doctors GROUP BY ward_id
WITH RECURSIVE c (id, depth) AS (SELECT id, 1 FROM doctors UNION ALL SELECT d.id, max(c.depth) + 1 FROM doctors d JOIN c ON d.boss_id = c.id GROUP BY d.id) SELECT * FROM c
WITH RECURSIVE c (id, depth) AS (SELECT id, 1 FROM doctors UNION ALL SELECT d.id, c.depth + 1 FROM doctors d JOIN c ON d.boss_id = c.id GROUP BY d.id, c.depth HAVING count(*) > 1) SELECT * FROM c
WITH RECURSIVE c (id, depth) AS (SELECT id, 1 FROM doctors UNION ALL SELECT d.id, row_number() OVER (ORDER BY d.id) FROM doctors d JOIN c ON d.boss_id = c.id) SELECT * FROM c
WITH RECURSIVE c (id, depth) AS (SELECT id, 1 FROM doctors UNION ALL SELECT d.id, (SELECT max(beds) FROM wards) FROM doctors d JOIN c ON d.boss_id = c.id) SELECT * FROM c
WITH c AS (SELECT id, title FROM wards) UPDATE c SET title = 'a'
SELECT full_name, salary - lag(salary) OVER (ORDER BY id) AS step FROM doctors ORDER BY abs(step)
SELECT full_name, rank() OVER (ORDER BY salary) AS place FROM doctors ORDER BY place + 1
SELECT ward_id, rank() OVER (ORDER BY sum(salary)) AS place FROM doctors GROUP BY ward_id ORDER BY place + 1
SELECT ward_id, sum(sum(salary)) OVER (ORDER BY ward_id) AS total FROM doctors GROUP BY ward_id ORDER BY -total
SELECT ward_id, sum(salary) / sum(sum(salary)) OVER () AS share FROM doctors GROUP BY ward_id ORDER BY -share
SELECT ward_id, rank() OVER (ORDER BY sum(salary)) + count(*) AS place FROM doctors GROUP BY ward_id ORDER BY place + 1
SELECT full_name, rank() OVER (ORDER BY salary) AS place FROM doctors ORDER BY CASE WHEN place = 1 THEN 0 ELSE 1 END
SELECT ward_id, count(*) FROM doctors GROUP BY ward_id WITH TOTALS
INSERT INTO wards () VALUES ()
INSERT INTO wards () VALUES (1, 'a', 2)
DELETE FROM wards, doctors WHERE wards.id = doctors.ward_id
SELECT {'a': 1}
SELECT id FROM wards UNION DISTINCT SELECT id FROM doctors
SELECT id FROM wards EXCEPT DISTINCT SELECT id FROM doctors
INSERT INTO wards
INSERT INTO wards (id, title)
UPDATE wards SET
UPDATE wards WHERE id = 1
UPDATE wards SET WHERE id = 1
UPDATE wards SET title WHERE id = 1
UPDATE wards SET title, beds = 'a', 1
INSERT INTO wards (id) VALUES (1) ON CONFLICT (id)
INSERT INTO wards (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET
INSERT INTO wards (id) VALUES (1) ON CONFLICT (id) DO UPDATE beds = 1
INSERT INTO wards (id) VALUES (1) ON CONFLICT (id) UPDATE SET beds = 1
INSERT INTO wards (id) VALUES (1) ON CONFLICT (id) IGNORE
INSERT INTO wards (id) VALUES (1) ON CONFLICT (id) DO NOTHING WHERE id > 1
INSERT INTO wards (id) VALUES (1) ON CONFLICT ON CONSTRAINT wards_pkey DO NOTHING
INSERT INTO wards (id) VALUES (1) ON DUPLICATE KEY IGNORE
INSERT INTO wards (id) VALUES (1) ON DUPLICATE KEY UPDATE SET beds = 1
INSERT INTO wards (id) VALUES (1) ON DUPLICATE KEY UPDATE beds = 1 WHERE id > 1
SELECT id FROM wards WHERE id IN (SELECT rowid FROM doctors)
SELECT json_object('a', 1, 'b') FROM wards
-- names of other dialects, aliases that are words, namespaces of calls
SELECT beds AS limit, title FROM wards
SELECT beds AS limit, title FROM wards LIMIT 2
SELECT id AS x, title AS y FROM wards UNION ALL BY NAME SELECT title AS y, id AS x FROM wards
SELECT id FROM wards UNION BY NAME SELECT id FROM doctors
INSERT INTO wards BY NAME SELECT 1 AS id, 'x' AS title
SELECT id FROM wards TABLESAMPLE 10 PERCENT
SELECT id FROM wards TABLESAMPLE (10 PERCENT)
SELECT CAST(beds AS varchar(max)) FROM wards
SELECT CAST(title AS nvarchar(MAX)) FROM wards
SELECT city AS town FROM patients GROUP BY town HAVING count(town) > 1
SELECT city AS town FROM patients GROUP BY city HAVING max(town) > 'b' AND count(*) > 1
SELECT city AS town, weight AS w FROM patients GROUP BY city, weight HAVING sum(w) > 1
SELECT upper(city) AS city FROM patients GROUP BY 1 HAVING count(city) > 1
SELECT city AS town FROM patients GROUP BY town ORDER BY count(town)
SELECT ifnull(title) FROM wards
SELECT ifnull(title, 'a', 'b') FROM wards
-- join conditions that name what stands behind them
SELECT w.title FROM wards w LEFT JOIN doctors d ON d.ward_id = v.doctor_id LEFT JOIN visits v ON v.doctor_id = d.id
SELECT w.title FROM wards w LEFT JOIN doctors d ON d.id = doctor_id LEFT JOIN visits v ON v.doctor_id = d.id
SELECT w.title FROM wards w LEFT JOIN doctors d ON d.id IN (SELECT v.doctor_id) JOIN visits v ON v.doctor_id = d.id
SELECT w.title FROM wards w JOIN doctors d ON d.ward_id = v.doctor_id RIGHT JOIN visits v ON v.doctor_id = d.id
SELECT w.title FROM wards w JOIN doctors d ON d.ward_id = v.doctor_id LEFT JOIN visits v ON v.doctor_id = d.id
SELECT w.title FROM wards w LEFT JOIN doctors d ON d.ward_id = w.id LEFT JOIN visits v ON v.doctor_id = d.id AND w.beds > 1
SELECT w.title FROM wards w LEFT JOIN (SELECT id AS doctor, ward_id FROM doctors) d ON d.ward_id = visits.id LEFT JOIN visits ON doctor_id = doctor
SELECT w.title FROM wards w LEFT JOIN doctors d ON d.ward_id = v.doctor_id LEFT JOIN visits v ON v.doctor_id = d.id WHERE d.salary > 1
SELECT w.title FROM wards w LEFT JOIN doctors d ON d.ward_id = v.doctor_id LEFT JOIN visits v ON v.doctor_id = d.id WHERE w.beds > 1
SELECT w.title FROM wards w LEFT JOIN doctors d ON d.ward_id = v.doctor_id LEFT JOIN visits v ON v.doctor_id = d.id WHERE v.cost > 1
-- aliases that are called like a column
SELECT count(*) AS beds FROM wards HAVING beds > 3
SELECT ward_id, sum(salary) AS salary FROM doctors GROUP BY ward_id HAVING salary > 100
SELECT ward_id, sum(salary) AS salary FROM doctors GROUP BY ward_id HAVING salary > 100 AND sum(salary) < 500
SELECT upper(city) AS city, count(*) FROM patients GROUP BY upper(city) HAVING city LIKE 'A%'
SELECT upper(city) AS city, count(*) FROM patients GROUP BY city HAVING city LIKE 'A%'
SELECT upper(city) AS city, count(*) FROM patients GROUP BY upper(city) HAVING patients.city LIKE 'A%'
SELECT upper(city) AS town, count(*) FROM patients GROUP BY upper(city) HAVING city LIKE 'A%'
SELECT ward_id AS full_name, count(*) FROM doctors GROUP BY ward_id HAVING full_name > 5
SELECT count(*) AS id FROM doctors d JOIN wards w ON w.id = d.ward_id HAVING id > 1
SELECT count(*) AS beds FROM wards GROUP BY title ORDER BY beds
SELECT count(*) AS beds FROM wards GROUP BY title ORDER BY beds + 1
SELECT max(beds) AS beds, title FROM wards GROUP BY title ORDER BY round(beds) DESC
SELECT max(beds) AS beds, title FROM wards GROUP BY title ORDER BY beds IS NULL, beds
SELECT upper(city) AS city, count(*) FROM patients GROUP BY upper(city) ORDER BY length(city)
SELECT upper(city) AS city FROM patients ORDER BY length(city)
SELECT city AS town FROM patients GROUP BY city HAVING EXISTS (SELECT 1 FROM wards WHERE title = town)
SELECT count(*) AS n FROM patients GROUP BY city HAVING n > (SELECT count(*) FROM wards)
SELECT title, max(beds) AS beds FROM wards GROUP BY title ORDER BY max(beds) DESC
SELECT title, sum(beds) AS beds FROM wards GROUP BY title HAVING sum(beds) > 3 ORDER BY sum(beds) + 1
SELECT count(*) AS beds FROM wards ORDER BY abs(beds)
SELECT beds AS title, title AS beds FROM wards ORDER BY length(title)
SELECT w.title FROM wards w WHERE EXISTS (SELECT 1 FROM doctors w WHERE w.title = 'a')
SELECT t1.title FROM wards t1 WHERE t1.id IN (SELECT t1.ward_id FROM doctors t1 WHERE t1.salary > 10 AND t1.beds > 3)
SELECT t1.title FROM wards t1 WHERE t1.id IN (SELECT t1.ward_id FROM doctors t1 WHERE t1.ghost > 10)
SELECT t1.title FROM wards t1 WHERE EXISTS (SELECT t1.beds FROM (SELECT id FROM doctors) t1)
SELECT t1.title, (SELECT count(*) FROM doctors t1 GROUP BY t1.beds) FROM wards t1
SELECT ward_id, count(*) AS n FROM doctors GROUP BY ward_id HAVING count(*) = (SELECT max(n) FROM doctors)
SELECT ward_id, count(*) AS n FROM doctors GROUP BY ward_id HAVING n > (SELECT avg(n) FROM wards)
SELECT ward_id, sum(salary) AS n FROM doctors GROUP BY ward_id HAVING n > (SELECT avg(n) FROM wards)
SELECT ward_id, count(DISTINCT boss_id) AS n FROM doctors GROUP BY ward_id HAVING n > (SELECT avg(n) FROM wards)
VALUES (1, 'a'), (2, 'b') ORDER BY column1
VALUES (1, 'a'), (2, 'b') ORDER BY column2 DESC LIMIT 1
VALUES (1, 'a'), (2, 'b') ORDER BY column3
VALUES (1, 'a'), (2, 'b') ORDER BY col0, col1
VALUES (1, 'a'), (2, 'b') ORDER BY 2
VALUES (1, 'a'), (2, 'b') ORDER BY 3
VALUES (1, 'a'), (2, 'b') ORDER BY column1 + 1
VALUES (1, 'a'), (2, 'b') LIMIT 1 OFFSET 1
SELECT column1 FROM (VALUES (1, 'a'), (2, 'b')) AS v ORDER BY column2
WITH v AS (VALUES (1, 'a'), (2, 'b')) SELECT column1 FROM v
