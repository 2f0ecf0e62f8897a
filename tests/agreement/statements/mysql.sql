-- MariaDB's own
SELECT DATE_FORMAT(started, '%Y-%m') AS m, COUNT(*) FROM visits GROUP BY m ORDER BY m
SELECT YEAR(born), MONTH(born), DAY(born), QUARTER(born), WEEK(born), DAYOFWEEK(born), DAYNAME(born), MONTHNAME(born) FROM patients
SELECT TIMESTAMPDIFF(YEAR, born, CURDATE()) AS age FROM patients
SELECT TIMESTAMPDIFF(MINUTE, started, ended), TIMEDIFF(ended, started), DATEDIFF(ended, started) FROM visits
SELECT DATE_ADD(born, INTERVAL 1 MONTH), DATE_SUB(born, INTERVAL 7 DAY), born + INTERVAL 1 DAY, born - INTERVAL 1 YEAR FROM patients
SELECT * FROM visits WHERE started >= DATE_SUB(NOW(), INTERVAL 30 DAY)
SELECT * FROM visits WHERE DATE(started) = CURDATE() AND HOUR(started) > 8
SELECT STR_TO_DATE('01,5,2013', '%d,%m,%Y'), UNIX_TIMESTAMP(started), FROM_UNIXTIME(0), LAST_DAY(started) FROM visits
SELECT EXTRACT(YEAR FROM born), EXTRACT(YEAR_MONTH FROM born) FROM patients
SELECT CONCAT(full_name, ' (', city, ')'), CONCAT_WS(', ', full_name, city) FROM patients
SELECT GROUP_CONCAT(DISTINCT title ORDER BY title DESC SEPARATOR '; ') FROM wards
SELECT IF(beds > 5, 'big', 'small'), IFNULL(title, ''), NULLIF(beds, 0), ISNULL(title) FROM wards
SELECT SUBSTRING_INDEX(full_name, ' ', 1), LEFT(full_name, 1), LOCATE('a', full_name), INSTR(full_name, 'a'), MID(full_name, 1, 2) FROM patients
SELECT LPAD(id, 5, '0'), REVERSE(title), REPEAT('x', 2), SPACE(2), CHAR_LENGTH(title) FROM wards
SELECT ROUND(cost, 1), TRUNCATE(cost, 1), FORMAT(cost, 2), CEILING(cost), FLOOR(cost), MOD(cost, 2), POW(cost, 2) FROM visits
SELECT title REGEXP '^A', title RLIKE 'b', title NOT REGEXP 'c' FROM wards
SELECT title LIKE BINARY 'a%' FROM wards
SELECT * FROM wards WHERE title = "Surgery"
SELECT * FROM wards WHERE title = 'a' && beds > 1 || beds < 0
SELECT beds DIV 2, beds MOD 2, beds XOR 1, !beds FROM wards
SELECT * FROM wards WHERE title <=> NULL
SELECT * FROM wards LIMIT 2, 5
SELECT * FROM wards LIMIT 5 OFFSET 2
SELECT city, COUNT(*) FROM patients GROUP BY city WITH ROLLUP
SELECT city, full_name FROM patients GROUP BY city
SELECT city, COUNT(*) AS n FROM patients GROUP BY city HAVING n > 1 ORDER BY n DESC
SELECT city, COUNT(*) AS n FROM patients HAVING weight > 5
SELECT full_name AS f FROM patients WHERE f = 'x'
SELECT CAST(cost AS SIGNED), CAST(cost AS UNSIGNED), CAST(cost AS DECIMAL(10,2)), CAST(cost AS CHAR), CAST(born AS DATE) FROM visits, patients
SELECT CAST(cost AS INT), CAST(cost AS FLOAT), CAST(cost AS DOUBLE), CAST(cost AS INTEGER) FROM visits
SELECT CAST(cost AS VARCHAR(10)) FROM visits
SELECT CAST(cost AS TEXT) FROM visits
SELECT CAST(cost AS REAL) FROM visits
SELECT CAST(cost AS BOOLEAN) FROM visits
SELECT CONVERT(cost, SIGNED), CONVERT(title USING utf8mb4) FROM visits, wards
SELECT cost::int FROM visits
SELECT JSON_EXTRACT(details, '$.a'), JSON_UNQUOTE(JSON_EXTRACT(details, '$.a')), JSON_VALUE(details, '$.a'), JSON_LENGTH(details) FROM visits
SELECT details->'$.a' FROM visits
SELECT details->>'$.a' FROM visits
SELECT JSON_ARRAYAGG(title), JSON_OBJECT('a', id) FROM wards
SELECT ROW_NUMBER() OVER (PARTITION BY city ORDER BY weight DESC) AS rn FROM patients
SELECT RANK() OVER (ORDER BY salary DESC), NTILE(4) OVER (ORDER BY salary), LAG(salary) OVER (ORDER BY id) FROM doctors
SELECT SUM(cost) OVER (PARTITION BY doctor_id ORDER BY started ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM visits
SELECT MEDIAN(salary) OVER (PARTITION BY ward_id) FROM doctors
SELECT MEDIAN(salary) FROM doctors
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY salary) OVER () FROM doctors
SELECT STDDEV(salary), STD(salary), VAR_POP(salary), VARIANCE(salary), STDDEV_SAMP(salary) FROM doctors
SELECT BIT_OR(id), BIT_AND(id), ANY_VALUE(title) FROM wards
SELECT COUNT(DISTINCT city, active) FROM patients
SELECT COUNT(DISTINCT CASE WHEN active = 1 THEN id END) / COUNT(*) * 100 FROM patients
SELECT SUM(active), SUM(active = 1), AVG(weight > 50) FROM patients
SELECT SUM(IF(active, 1, 0)) FROM patients
SELECT @rank := @rank + 1 AS r, full_name FROM patients, (SELECT @rank := 0) AS v
SELECT id, (SELECT COUNT(*) FROM visits WHERE visits.patient_id = patients.id) AS n FROM patients HAVING n > 1
SELECT * FROM (SELECT id FROM wards) WHERE id = 1
SELECT * FROM (SELECT id FROM wards) t WHERE t.id = 1
SELECT * FROM (SELECT id, id FROM wards) t
SELECT w.*, COUNT(d.id) FROM wards w LEFT JOIN doctors d ON d.ward_id = w.id GROUP BY w.id
SELECT * FROM wards NATURAL JOIN doctors
SELECT * FROM wards JOIN doctors
SELECT * FROM wards STRAIGHT_JOIN doctors ON wards.id = doctors.ward_id
SELECT * FROM wards LEFT JOIN doctors USING (id)
SELECT * FROM wards FULL JOIN doctors ON wards.id = doctors.ward_id
SELECT * FROM wards LEFT JOIN doctors ON wards.id = doctors.ward_id UNION SELECT * FROM wards RIGHT JOIN doctors ON wards.id = doctors.ward_id
SELECT id FROM wards WHERE id IN (SELECT ward_id FROM doctors ORDER BY salary DESC LIMIT 3)
SELECT id FROM wards WHERE id IN (SELECT * FROM (SELECT ward_id FROM doctors LIMIT 3) t)
SELECT id FROM wards WHERE id = (SELECT ward_id FROM doctors LIMIT 1)
SELECT id FROM wards WHERE id > ALL (SELECT ward_id FROM doctors)
SELECT id FROM wards INTERSECT SELECT ward_id FROM doctors
SELECT id FROM wards EXCEPT SELECT ward_id FROM doctors
SELECT COUNT (*) FROM wards
SELECT MAX (beds) FROM wards
SELECT UPPER (title) FROM wards
SELECT NOW(), CURDATE(), CURTIME(), SYSDATE(), UTC_TIMESTAMP(), CURRENT_TIMESTAMP(), CURRENT_DATE()
SELECT USER(), DATABASE(), VERSION(), LAST_INSERT_ID(), CONNECTION_ID()
SELECT UUID(), RAND(), MD5('a'), SHA1('a'), INET_ATON('1.1.1.1')
SELECT FIELD(title, 'a', 'b'), ELT(1, 'a'), FIND_IN_SET('a', 'a,b'), INTERVAL(5, 1, 10), GREATEST(1, 2), LEAST(1, 2) FROM wards
SELECT id FROM wards ORDER BY FIELD(title, 'b', 'a')
SELECT id FROM wards ORDER BY title COLLATE utf8mb4_bin
SELECT id FROM wards ORDER BY RAND() LIMIT 1
SELECT id FROM wards FOR UPDATE
SELECT SQL_CALC_FOUND_ROWS id FROM wards
SELECT DISTINCTROW id FROM wards
SELECT id AS 'the id' FROM wards ORDER BY `the id`
SELECT id `the id` FROM wards
SELECT id "the id" FROM wards
SELECT wards.id FROM Wards
SELECT Wards.id FROM wards
SELECT W.id FROM wards w
SELECT w.ID, w.TITLE FROM wards w
SELECT * FROM information_schema.tables
SELECT 1 FROM DUAL
SELECT * FROM wards w, doctors d WHERE w.id = d.ward_id AND w.id = ghost.id
WITH a AS (SELECT 1 AS x) SELECT x FROM a
WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n
SELECT date_trunc('month', started) FROM visits
SELECT to_char(born, 'YYYY') FROM patients
SELECT strftime('%Y', born) FROM patients
SELECT string_agg(title, ',') FROM wards
SELECT title || 'x' FROM wards
SELECT title ILIKE 'a' FROM wards
SELECT DISTINCT ON (city) city FROM patients
SELECT count(*) FILTER (WHERE beds > 1) FROM wards
SELECT id FROM wards QUALIFY row_number() OVER () = 1
SELECT TOP 3 id FROM wards
SELECT id FROM wards FETCH FIRST 2 ROWS ONLY
SELECT id FROM wards ORDER BY id NULLS LAST
SELECT ARRAY[1, 2]
SELECT * FROM wards w, LATERAL (SELECT 1) t
SELECT getdate(), len(title), isnull(title, 'x') FROM wards
SELECT nvl(title, 'x'), nvl2(title, 1, 2), decode_oracle(1, 2, 3) FROM wards
SELECT TO_DAYS(born), PERIOD_DIFF(202401, 202301), MAKEDATE(2024, 5), ADDDATE(born, 5), SUBDATE(born, 5), ADDTIME(started, '1:0:0') FROM patients, visits
INSERT INTO wards (id, title) VALUES (1, 'a') ON DUPLICATE KEY UPDATE title = VALUES(title)
INSERT IGNORE INTO wards (id) VALUES (1)
REPLACE INTO wards (id) VALUES (1)
UPDATE wards w JOIN doctors d ON w.id = d.ward_id SET w.beds = 5
DELETE w FROM wards w JOIN doctors d ON w.id = d.ward_id
SHOW TABLES
DESCRIBE wards
VALUES (1, 2), (3, 4)
SELECT holder FROM dual
SELECT 1 FROM dual
SELECT row_number() FROM wards
SELECT title FROM wards WHERE title COLLATE latin1_bin = 'x'
SELECT interval(5, 1, 10), id FROM wards WHERE isnull(title)
-- names that are made up
SELECT id, 'abc' FROM doctors ORDER BY abc
SELECT id, 'abc' FROM doctors ORDER BY `abc`
SELECT id, 'abc' FROM doctors GROUP BY id, abc
SELECT id, 'abc' FROM doctors GROUP BY id, `abc`
SELECT id, 'abc' FROM doctors HAVING abc = 'x'
SELECT id, 'abc' FROM doctors GROUP BY id HAVING abc = 'x'
SELECT id, 'abc' FROM doctors WHERE abc = 'x'
SELECT id, 1 FROM doctors ORDER BY `1`
SELECT id + boss_id FROM doctors ORDER BY `id + boss_id`
SELECT id+boss_id FROM doctors ORDER BY `id+boss_id`
SELECT count(*) FROM doctors ORDER BY `count(*)`
SELECT COUNT(*) FROM doctors ORDER BY `count(*)`
SELECT id, count(*) FROM doctors GROUP BY id HAVING `count(*)` > 1
SELECT id, COUNT(boss_id) FROM doctors GROUP BY id ORDER BY `COUNT(boss_id)` DESC
SELECT upper(full_name) FROM doctors GROUP BY `upper(full_name)`
SELECT upper(full_name) FROM doctors GROUP BY `UPPER(full_name)`
SELECT 'abc' FROM doctors ORDER BY ABC
SELECT 'id boss_id' FROM doctors ORDER BY `id boss_id`
SELECT 'full_name' FROM doctors ORDER BY full_name
SELECT 'x' AS y FROM doctors ORDER BY x
SELECT 'ghost' FROM doctors GROUP BY ghost ORDER BY ghost
SELECT x.abc FROM (SELECT 'abc' FROM doctors) AS x
SELECT x.`count(*)` FROM (SELECT count(*) FROM doctors) AS x
SELECT abc FROM (SELECT 'abc') AS x
SELECT `1` FROM (SELECT 1) AS x
SELECT "abc" FROM doctors ORDER BY abc
SELECT NULL FROM doctors ORDER BY `NULL`
SELECT TRUE FROM doctors ORDER BY `TRUE`
SELECT 'abc' 'def' FROM doctors ORDER BY abc
SELECT (SELECT 1) FROM doctors ORDER BY `(SELECT 1)`
SELECT CASE WHEN id THEN boss_id END FROM doctors ORDER BY `CASE WHEN id THEN boss_id END`
SELECT 'abc' UNION SELECT 'def' ORDER BY abc
SELECT 'abc' UNION SELECT 'def' ORDER BY def
SELECT DISTINCT 'abc' FROM doctors ORDER BY abc
SELECT 'abc', 'abc' FROM doctors ORDER BY abc
SELECT doctors.id, 'abc' FROM doctors ORDER BY doctors.abc
SELECT -id FROM doctors ORDER BY `-id`
SELECT 'abc' FROM doctors ORDER BY abc + 1
SELECT 'abc' FROM doctors ORDER BY upper(abc)
SELECT 'abc' FROM doctors GROUP BY upper(abc)
SELECT max(id) FROM doctors GROUP BY boss_id HAVING `max(id)` > 1
SELECT sum(id) OVER () FROM doctors ORDER BY `sum(id) OVER ()`
SELECT count(*), count(id) FROM doctors ORDER BY count
SELECT count(*), count(*) FROM doctors ORDER BY count
SELECT max(id), max(boss_id) FROM doctors ORDER BY max
SELECT max(id), max(id) FROM doctors ORDER BY max
SELECT id AS x, boss_id AS x FROM doctors ORDER BY x
SELECT id AS x, id AS x FROM doctors ORDER BY x
SELECT id, boss_id AS id FROM doctors ORDER BY id
SELECT id, count(*) FROM doctors GROUP BY id HAVING count > 1
SELECT id, count(*) FROM doctors GROUP BY id ORDER BY count + 1
SELECT id, count(*) FROM doctors GROUP BY id ORDER BY count DESC NULLS LAST
SELECT id, count(*) FROM doctors GROUP BY id ORDER BY count, ghost
SELECT id, count(*) FROM doctors WHERE count > 1 GROUP BY id
SELECT id, count(*) FROM doctors GROUP BY count
SELECT id, count(*) FROM doctors GROUP BY id UNION SELECT id, 1 FROM wards ORDER BY count
SELECT id, 1 FROM doctors UNION SELECT id, count(*) FROM wards GROUP BY id ORDER BY count
SELECT DISTINCT upper(full_name) FROM doctors ORDER BY upper
SELECT DISTINCT upper(full_name) FROM doctors ORDER BY lower
SELECT count(*) FROM doctors ORDER BY Count
SELECT count(*) FROM doctors ORDER BY `Count`
SELECT * FROM (SELECT id, count(*) FROM doctors GROUP BY id) x ORDER BY count
SELECT * FROM (SELECT id, count(*) FROM doctors GROUP BY id) x WHERE x.count > 1
SELECT * FROM (SELECT id, count(*) FROM doctors GROUP BY id) x WHERE count > 1
SELECT * FROM (SELECT id, count(*), count(boss_id) FROM doctors GROUP BY id) x WHERE count > 1
WITH beds AS (SELECT id, count(*) FROM doctors GROUP BY id) SELECT id FROM beds WHERE count > 1 ORDER BY count
WITH beds AS (SELECT id, sum(boss_id) FROM doctors GROUP BY id) SELECT id, count FROM beds
WITH beds AS (SELECT id, 1 FROM doctors) SELECT ghost FROM beds
WITH beds AS (SELECT id, 1 FROM doctors) SELECT `ghost` FROM beds
SELECT id, rank() OVER (ORDER BY id) FROM doctors ORDER BY rank
SELECT id, rank() OVER (ORDER BY id) FROM doctors WHERE rank = 1
SELECT full_name, length(full_name) FROM doctors ORDER BY length(full_name)
SELECT full_name, length(full_name) FROM doctors GROUP BY full_name, length
SELECT upper(full_name), count(*) FROM doctors GROUP BY upper
SELECT upper(full_name), count(*) FROM doctors GROUP BY lower
SELECT upper(full_name) AS wards, count(*) FROM doctors GROUP BY upper
SELECT date_trunc('day', now()), count(*) FROM doctors GROUP BY date_trunc ORDER BY date_trunc
SELECT CASE WHEN id > 1 THEN 'x' ELSE 'y' END, count(*) FROM doctors GROUP BY `case`
SELECT id::text, count(*) FROM doctors GROUP BY id
SELECT (id + boss_id)::text, count(*) FROM doctors GROUP BY text
SELECT sum(id) FROM doctors ORDER BY sum(id)
SELECT sum(id) FROM doctors ORDER BY sum_a
SELECT coalesce(full_name, 'x') FROM doctors GROUP BY coalesce
SELECT doctors.id, wards.beds, count(*) FROM doctors JOIN wards ON doctors.id = wards.id GROUP BY doctors.id, wards.beds ORDER BY count
SELECT id, round(avg(boss_id)) FROM doctors GROUP BY id ORDER BY avg
SELECT id, (SELECT count(*) FROM wards WHERE wards.id = doctors.id) FROM doctors ORDER BY count
SELECT id, EXISTS (SELECT 1 FROM wards) FROM doctors ORDER BY `exists`
SELECT array_agg(id) FROM doctors ORDER BY array_agg
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) FROM doctors ORDER BY percentile_cont
SELECT count FROM (SELECT count(*) FROM doctors) AS x(count)
SELECT x.beds FROM (SELECT count(*) FROM doctors) AS x(beds) ORDER BY count
SELECT json_agg(id) FROM doctors ORDER BY json_agg
SELECT DISTINCT ON (id) id, count(*) FROM doctors GROUP BY id ORDER BY id, count
SELECT count(*) FROM doctors LIMIT count
SELECT id, count(*) FROM doctors GROUP BY 1 ORDER BY 2, count
SELECT id FROM doctors ORDER BY count
SELECT id + 1 FROM doctors GROUP BY `?column?`
SELECT id + 1, boss_id + 1 FROM doctors ORDER BY `?column?`
SELECT 'x' FROM doctors ORDER BY x
SELECT 1 FROM doctors ORDER BY `1`
INSERT INTO wards (id) SELECT count(*) FROM doctors ORDER BY count
SELECT count(*) FROM doctors ORDER BY `sum(id)`
SELECT count(*) FROM doctors WHERE `count(*)` > 1
SELECT count(*) FROM doctors ORDER BY `ghost`
SELECT count(*) FROM doctors ORDER BY `count (*)`
SELECT id FROM doctors WHERE id > (SELECT count(*) FROM wards) ORDER BY `count(*)`
SELECT 'id boss_id' FROM doctors ORDER BY `id beds`
SELECT x.`count(*)` FROM (SELECT count(*) FROM doctors) x ORDER BY `count(*)`
SELECT x.`ghost col` FROM (SELECT count(*) FROM doctors) x
CREATE TABLE fresh AS SELECT ghost FROM wards
SELECT json_object('a', id = 1) FROM wards
SELECT json_array(id = 1, id > 2 AND beds < 3) FROM wards
SELECT json_object('a', 1, 'b') FROM wards
SELECT json_object(id, beds) FROM wards
SELECT json_object() FROM wards
SELECT json_array() FROM wards
SELECT json_object('a') FROM wards
SELECT json_object('a', NULL, 'b', (SELECT 1)) FROM wards
SELECT json_object('a', 1 NULL ON NULL) FROM wards
SELECT json_object('a' VALUE 1) FROM wards
SELECT json_object('a', CASE WHEN id > 1 THEN 1 END, 'b', NOT id) FROM wards
SELECT json_object('a', id IN (SELECT 1)) FROM wards
SELECT json_object('a', ghost = 1) FROM wards
SELECT json_object('a', json_object('b', id = 1)) FROM wards
SELECT json_object(*) FROM wards
SELECT json_object(wards.*) FROM wards
SELECT json_array(1 ABSENT ON NULL) FROM wards
SELECT json_objectagg('a', id = 1) FROM wards
SELECT json_objectagg('a' : id) FROM wards
SELECT json_objectagg('a' VALUE id) FROM wards
SELECT json_objectagg(title, id) OVER () FROM wards
SELECT json_objectagg(DISTINCT title, id) FROM wards
SELECT json_objectagg(title) FROM wards
SELECT json_arrayagg(id = 1) FROM wards
SELECT json_arrayagg(id ORDER BY id) FROM wards
SELECT json_arrayagg(DISTINCT id ORDER BY id DESC LIMIT 2) FROM wards
SELECT json_arrayagg(json_object('a', id) ORDER BY id) FROM wards
SELECT json_arrayagg(id, beds) FROM wards
SELECT json_arrayagg(id ORDER BY ghost) FROM wards
SELECT json_arrayagg(id ORDER BY id SEPARATOR ',') FROM wards
SELECT json_arrayagg(id) OVER () FROM wards
SELECT json_arrayagg(id NULL ON NULL) FROM wards
SELECT count(id ORDER BY id) FROM wards
SELECT CONVERT(id = 1, char) FROM wards
SELECT CONVERT(id > 1, signed) FROM wards
SELECT CONVERT(id > 1 AND beds, char(3)) FROM wards
SELECT CONVERT(id IN (1, 2), char) FROM wards
SELECT CONVERT(title LIKE 'a%', char) FROM wards
SELECT CONVERT(id BETWEEN 1 AND 2, char) FROM wards
SELECT CONVERT(id IS NULL, char) FROM wards
SELECT CONVERT(NOT id, char) FROM wards
SELECT CONVERT(id, text) FROM wards
SELECT CONVERT(id, varchar(10)) FROM wards
SELECT CONVERT(id, unsigned integer) FROM wards
SELECT CONVERT(id, signed int) FROM wards
SELECT CAST(id AS unsigned integer), CAST(id AS signed int), CAST(id AS signed integer) FROM wards
SELECT CAST(id = 1 AS char) FROM wards
SELECT CAST(id AS integer unsigned) FROM wards
SELECT CAST(id AS int unsigned) FROM wards
SELECT CAST(id AS unsigned bigint) FROM wards
SELECT CAST(title AS char CHARACTER SET utf8mb4) FROM wards
SELECT CAST(title AS char(10) CHARSET utf8mb4) FROM wards
SELECT CAST(title AS char COLLATE utf8mb4_bin) FROM wards
SELECT CAST(title AS double precision) FROM wards
SELECT CAST(title AS decimal(10)) FROM wards
SELECT CAST(title AS long) FROM wards
SELECT CAST(title AS national char) FROM wards
SELECT CAST(title AS point) FROM wards
SELECT CAST(title AS binary) FROM wards
SELECT CAST(title AS char varying(3)) FROM wards
SELECT CAST(title AS unsigned) + 1 FROM wards
SELECT timestampdiff(YEAR, hired, now()), timestampadd(SQL_TSI_DAY, 1, hired) FROM doctors
SELECT timestampdiff(hired, now(), DAY) FROM doctors
SELECT timestampdiff(DAYS, hired, now()) FROM doctors
SELECT timestampdiff('DAY', hired, now()) FROM doctors
SELECT timestampdiff(DAY, hired) FROM doctors
SELECT timestampdiff(DAY, hired, now(), 1) FROM doctors
SELECT timestampdiff(DAY_HOUR, hired, now()) FROM doctors
SELECT timestampdiff(MILLISECOND, hired, now()) FROM doctors
SELECT timestampdiff(MICROSECOND, hired, now()) FROM doctors
SELECT timestampdiff(hired, now()) FROM doctors
SELECT timestampadd(DAY, 1) FROM doctors
SELECT timestampadd(1, DAY, hired) FROM doctors
SELECT timestampadd(hired, 1, DAY) FROM doctors
SELECT timestampadd(`DAY`, 1, hired) FROM doctors
SELECT timestampdiff(SQL_TSI_FRAC_SECOND, hired, hired) FROM doctors
SELECT timestampdiff(sql_tsi_year, hired, hired), timestampdiff(SQL_TSI_QUARTER, hired, hired) FROM doctors
SELECT extract(SQL_TSI_DAY FROM hired) FROM doctors
SELECT hired + INTERVAL 1 SQL_TSI_DAY FROM doctors
SELECT extract(MONTH, hired) FROM doctors
SELECT extract('month' FROM hired) FROM doctors
SELECT extract(hired FROM MONTH) FROM doctors
SELECT extract(hired) FROM doctors
SELECT extract(MONTH FROM hired + INTERVAL 1 DAY) FROM doctors
SELECT date_add(hired, 30) FROM doctors
SELECT date_sub(hired, 30) FROM doctors
SELECT date_add(hired, id) FROM doctors
SELECT date_add(hired) FROM doctors
SELECT date_add(hired, INTERVAL 1 DAY, 2) FROM doctors
SELECT date_add(INTERVAL 1 DAY, hired) FROM doctors
SELECT date_add(hired, INTERVAL id DAY) FROM doctors
SELECT date_add(hired, INTERVAL (SELECT 1) DAY) FROM doctors
SELECT date_add(hired, INTERVAL -1 DAY) FROM doctors
SELECT date_add(hired, - INTERVAL 1 DAY) FROM doctors
SELECT date_add(hired, '1 day') FROM doctors
SELECT date_sub(hired, CASE WHEN 1 THEN INTERVAL 1 DAY END) FROM doctors
SELECT adddate(hired, 30), subdate(hired, 30), adddate(hired, INTERVAL 1 DAY), adddate(hired, id + 1) FROM doctors
SELECT adddate(hired) FROM doctors
SELECT adddate(hired, 1, 2) FROM doctors
SELECT subdate(hired, INTERVAL 1) FROM doctors
SELECT addtime(hired, INTERVAL 1 HOUR) FROM doctors
SELECT datediff(hired, INTERVAL 1 DAY) FROM doctors
SELECT year(INTERVAL 1 DAY) FROM doctors
SELECT coalesce(INTERVAL 1 DAY, 1) FROM doctors
SELECT hired + INTERVAL 1 DAY * 2 FROM doctors
SELECT hired + 2 * INTERVAL 1 DAY FROM doctors
SELECT INTERVAL 1 DAY * 2 + hired FROM doctors
SELECT hired + (INTERVAL 1 DAY) FROM doctors
SELECT hired + INTERVAL '1 day' FROM doctors
SELECT INTERVAL '1 day' + hired FROM doctors
SELECT 1 FROM doctors WHERE hired > INTERVAL '1' DAY + now()
SELECT 1 FROM doctors WHERE hired > INTERVAL '1 day' + now()
SELECT 1 FROM doctors WHERE now() - hired > INTERVAL 1 DAY
SELECT 1 FROM doctors WHERE hired BETWEEN now() - INTERVAL '7 days' AND now()
SELECT 1 FROM doctors WHERE hired BETWEEN INTERVAL 1 DAY AND now()
SELECT now() - INTERVAL '1 DAY' DAY, now() - INTERVAL "2" HOUR
SELECT now() - INTERVAL '1 month 2 days'
SELECT ROW(1, 2) IN (SELECT id, beds FROM wards)
SELECT (1, 2) = (SELECT id, beds FROM wards LIMIT 1)
SELECT 1 FROM wards WHERE ROW(id, beds) = ROW(1, 2)
SELECT 1 FROM wards WHERE ROW(id, beds) = (1, 2)
SELECT 1 FROM wards WHERE ROW(id, beds) = (1, 2, 3)
SELECT 1 FROM wards WHERE ROW(id, beds) IN ((1, 2), (3, 4))
SELECT 1 FROM wards WHERE (id, beds) IN ((1, 2), (3, 4, 5))
SELECT 1 FROM wards WHERE (id, beds) IN (1, 2)
SELECT 1 FROM wards WHERE id IN ((1, 2), (3, 4))
SELECT 1 FROM wards WHERE id IN (1, (2, 3))
SELECT 1 FROM wards WHERE (id, beds) IN (SELECT id, beds FROM wards)
SELECT 1 FROM wards WHERE (id, beds) NOT IN (SELECT id FROM wards)
SELECT 1 FROM wards WHERE id = (1, 2)
SELECT 1 FROM wards WHERE (id, beds) > (1, 2)
SELECT 1 FROM wards WHERE (id, beds) = ANY (SELECT id, beds FROM wards)
SELECT 1 FROM wards WHERE id = ALL (SELECT id FROM wards LIMIT 1)
SELECT 1 FROM wards WHERE id = ANY (SELECT id FROM wards LIMIT 1)
SELECT 1 FROM wards WHERE id > SOME (SELECT id FROM wards ORDER BY id LIMIT 1)
SELECT 1 FROM wards WHERE id IN (SELECT id FROM wards UNION SELECT 1 LIMIT 1)
SELECT 1 FROM wards WHERE id IN ((SELECT id FROM wards LIMIT 1))
SELECT 1 FROM wards WHERE id = ANY ((SELECT id FROM wards LIMIT 1))
SELECT 1 FROM wards WHERE id IN (SELECT * FROM (SELECT id FROM wards LIMIT 1) t)
SELECT 1 FROM wards WHERE id = ANY (SELECT id, beds FROM wards)
SELECT 1 FROM wards WHERE EXISTS (SELECT id FROM wards LIMIT 1)
SELECT * FROM wards w LEFT JOIN (doctors d, visits v) ON d.ward_id = w.id AND v.doctor_id = d.id
SELECT sum(beds) OVER (ORDER BY id ROWS UNBOUNDED FOLLOWING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS 1 FOLLOWING) FROM wards
SELECT sum(beds) OVER (ORDER BY id ROWS CURRENT ROW) FROM wards
SELECT sum(beds) OVER (ORDER BY id RANGE BETWEEN CURRENT ROW AND 1 PRECEDING) FROM wards
SELECT rank() OVER (PARTITION BY rank() OVER (ORDER BY id)) FROM wards
SELECT rank() OVER (ORDER BY (SELECT rank() OVER (ORDER BY d.id) FROM doctors d LIMIT 1)) FROM wards
SELECT id FROM wards ORDER BY rank() OVER (ORDER BY id) + 1
SELECT stddev(DISTINCT beds) FROM wards
SELECT variance(DISTINCT beds) FROM wards
SELECT bit_or(DISTINCT beds) FROM wards
SELECT max(DISTINCT beds), min(DISTINCT beds), sum(DISTINCT beds), avg(DISTINCT beds), count(DISTINCT beds) FROM wards
SELECT upper(DISTINCT title) FROM wards
SELECT coalesce(DISTINCT title, 'a') FROM wards
SELECT json_arrayagg(DISTINCT title) FROM wards
SELECT std(DISTINCT beds), var_pop(DISTINCT beds) FROM wards
SELECT group_concat(title SEPARATOR concat(',', ' ')) FROM wards
SELECT group_concat(title SEPARATOR title) FROM wards
SELECT group_concat(title SEPARATOR 5) FROM wards
SELECT group_concat(title SEPARATOR) FROM wards
SELECT group_concat(title SEPARATOR '\n') FROM wards
SELECT group_concat(title SEPARATOR 0x2c) FROM wards
SELECT group_concat(title SEPARATOR ', ' ORDER BY id) FROM wards
SELECT group_concat(DISTINCT title, beds ORDER BY id DESC SEPARATOR ', ' LIMIT 2) FROM wards
SELECT group_concat(DISTINCT title ORDER BY beds SEPARATOR ', ' LIMIT 2) FROM wards
SELECT group_concat(title ORDER BY 1) FROM wards
SELECT group_concat(title ORDER BY 3) FROM wards
SELECT group_concat(*) FROM wards
SELECT group_concat() FROM wards
SELECT group_concat(title) WITHIN GROUP (ORDER BY id) FROM wards
SELECT group_concat(title) FILTER (WHERE id > 1) FROM wards
SELECT id FROM wards LIMIT 1.5
SELECT id FROM wards LIMIT 1e3
SELECT id FROM wards LIMIT @n
SELECT id FROM wards LIMIT ?
SELECT id FROM wards LIMIT 1 OFFSET 1.5
SELECT id FROM wards LIMIT TRUE
SELECT id FROM wards LIMIT (5)
SELECT id FROM wards LIMIT 5 OFFSET -1
SELECT id FROM wards OFFSET 5 ROWS
SELECT id FROM wards OFFSET 5 ROW
SELECT id FROM wards OFFSET 5
SELECT id FROM wards ORDER BY id OFFSET 5 ROWS
SELECT id FROM wards OFFSET 5 ROWS FETCH NEXT 3 ROWS ONLY
SELECT id FROM wards FETCH NEXT 3 ROWS ONLY
SELECT id FROM wards FETCH NEXT 3 ROWS WITH TIES
SELECT id FROM wards ORDER BY id FETCH FIRST ROW ONLY
SELECT id FROM wards ORDER BY id FETCH FIRST 3 ONLY
SELECT id FROM wards GROUP BY id DESC
SELECT id FROM wards GROUP BY id ASC, beds DESC HAVING id > 1 ORDER BY id DESC
SELECT id FROM wards GROUP BY id DESC WITH ROLLUP
SELECT id FROM wards GROUP BY 1 DESC
SELECT id FROM (SELECT id FROM wards GROUP BY id DESC) t GROUP BY ghost DESC
SELECT id FROM wards GROUP BY id WITH CUBE
SELECT id FROM wards WITH ROLLUP
SELECT id FROM wards GROUP BY beds WITH ROLLUP, id
SELECT id FROM wards GROUP BY id ORDER BY id WITH ROLLUP
SELECT count(*) FROM wards WITH ROLLUP
SELECT DISTINCT id FROM wards GROUP BY id WITH ROLLUP
SELECT json_value(details, '$.a' RETURNING char) FROM visits
SELECT json_value(details, '$.a' DEFAULT 1 ON EMPTY) FROM visits
SELECT json_value(details, '$.a' NULL ON ERROR) FROM visits
SELECT json_value(details) FROM visits
SELECT json_value(details, '$.a', 1) FROM visits
SELECT json_value(details, concat('$.', 'a')) FROM visits
SELECT json_value(details, reason) FROM visits
SELECT json_query(details, '$.a' WITH WRAPPER) FROM visits
SELECT json_exists(details, '$.a' TRUE ON ERROR) FROM visits
SELECT 1 FROM visits WHERE 'a' MEMBER OF (details)
SELECT 1 FROM visits WHERE reason BETWEEN SYMMETRIC 1 AND 2
SELECT jt.a, jt.b FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a')) jt
SELECT jt.a FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a')) jt
SELECT a FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a')) jt WHERE jt.a > 1
SELECT id FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (id int PATH '$.a')) jt
SELECT jt.c, jt.d FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a FOR ORDINALITY, NESTED PATH '$.x[*]' COLUMNS (c int PATH '$', d text PATH '$.e'))) jt
SELECT jt.ghost FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a FOR ORDINALITY, NESTED PATH '$.x[*]' COLUMNS (c int PATH '$', d text PATH '$.e'))) jt
SELECT jt.a FROM visits v, JSON_TABLE(v.ghost, '$[*]' COLUMNS (a int PATH '$.a')) jt
SELECT jt.a FROM JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a')) jt, visits v
SELECT jt.a FROM visits v JOIN JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a')) jt
SELECT jt.a FROM visits v JOIN JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a')) jt ON jt.a = v.id
SELECT jt.a FROM visits v LEFT JOIN JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a')) jt ON TRUE
SELECT jt.a FROM visits v LEFT JOIN JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a')) jt
SELECT jt.a FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a', a int PATH '$.b')) jt
SELECT jt.a FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a'))
SELECT jt.a FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a varchar(20) PATH '$.a' DEFAULT 'x' ON EMPTY DEFAULT 'y' ON ERROR)) jt
SELECT jt.a FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a int EXISTS PATH '$.a')) jt
SELECT jt.a FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a json PATH '$.a', b boolean PATH '$.b', c decimal(10,2) PATH '$.c', d date PATH '$.d', e datetime PATH '$.e', f double PATH '$.f', g text PATH '$.g', h char(3) PATH '$.h')) jt
SELECT jt.a FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH $.a)) jt
SELECT jt.a FROM visits v, JSON_TABLE(v.details, reason COLUMNS (a int PATH '$.a')) jt
SELECT jt.a FROM visits v, JSON_TABLE(json_extract(v.details, '$.x'), '$[*]' COLUMNS (a int PATH '$.a')) AS jt
SELECT jt.a FROM visits v, JSON_TABLE((SELECT details FROM visits LIMIT 1), '$[*]' COLUMNS (a int PATH '$.a')) AS jt
SELECT (SELECT sum(jt.a) FROM JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a')) AS jt) FROM visits v
SELECT 1 FROM visits v WHERE EXISTS (SELECT 1 FROM JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a')) AS jt WHERE jt.a = v.id)
SELECT JSON_TABLE(details, '$[*]' COLUMNS (a int PATH '$.a')) FROM visits
SELECT v.*, jt.* FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a int PATH '$.a')) AS jt(x)
SELECT UTC_DATE, UTC_TIME, UTC_TIMESTAMP, LOCALTIME, LOCALTIMESTAMP, CURRENT_USER, CURRENT_ROLE FROM wards
SELECT UTC_DATE(), UTC_TIME(3), UTC_TIMESTAMP(3), LOCALTIME(), LOCALTIME(3), LOCALTIMESTAMP(3), CURRENT_TIMESTAMP(), CURRENT_TIMESTAMP(3), CURRENT_TIME(3), CURRENT_DATE()
SELECT CURRENT_DATE(3)
SELECT CURDATE(3), CURTIME(3)
SELECT NOW, SYSDATE, CURDATE FROM wards
SELECT USER, SESSION_USER, SYSTEM_USER FROM wards
SELECT SESSION_USER(), SYSTEM_USER(), CURRENT_ROLE(), SCHEMA() FROM wards
SELECT id FROM wards WHERE id = 1 FOR SHARE
SELECT id FROM wards WHERE id = 1 LOCK IN SHARE MODE
SELECT id FROM wards WHERE id = 1 FOR UPDATE NOWAIT
SELECT id FROM wards FOR UPDATE OF wards
TABLE wards
SELECT * FROM (TABLE wards) t
SELECT title:beds FROM wards
SELECT * FROM wards WHERE id = %s
SELECT * FROM wards WHERE id = @id
SELECT * FROM wards WHERE id = $1
SELECT * FROM wards WHERE title = DATE '2024-13-01'
SELECT DATE '2024-02-30', TIME '25:00:00', TIMESTAMP '2024-01-01'
SELECT TIMESTAMP '2024-01-01'
SELECT TIMESTAMP '2024-01-01 10:00'
SELECT TIME '10:00'
SELECT TIME '25:00:00'
SELECT DATE '2024-1-1'
SELECT DATE '20240101'
SELECT DATE 'today'
SELECT DATETIME '2024-01-01'
SELECT id FROM wards a LEFT SEMI JOIN doctors b ON a.id = b.id
SELECT id FROM wards SEMI JOIN doctors b ON SEMI.id = b.id
SELECT id FROM wards ANTI JOIN doctors b ON ANTI.id = b.ward_id
SELECT wards.beds FROM wards FULL JOIN doctors ON FULL.id = doctors.ward_id
SELECT beds FROM wards FULL JOIN doctors ON beds = ward_id
SELECT beds FROM wards FULL JOIN doctors USING (id)
SELECT beds FROM wards w FULL JOIN doctors USING (id)
SELECT beds FROM wards FULL OUTER JOIN doctors USING (id)
SELECT beds FROM wards AS FULL JOIN doctors USING (id)
SELECT seq FROM seq_1_to_10
SELECT seq * 2 FROM seq_1_to_100_step_5 s WHERE s.seq > 3
SELECT x FROM seq_1_to_10
SELECT id INTO @x FROM wards LIMIT 1
SELECT id INTO x FROM wards
SELECT hired + INTERVAL 1 DAY - INTERVAL 2 HOUR FROM doctors
SELECT INTERVAL 1 DAY - hired FROM doctors
SELECT hired * INTERVAL 1 DAY FROM doctors
SELECT sum(INTERVAL 1 DAY) FROM doctors
SELECT CAST(INTERVAL 1 DAY AS char) FROM doctors
SELECT IF(id > 1, INTERVAL 1 DAY, INTERVAL 2 DAY) FROM doctors
SELECT hired + IF(id > 1, INTERVAL 1 DAY, INTERVAL 2 DAY) FROM doctors
SELECT hired - INTERVAL IF(id > 1, 1, 2) DAY FROM doctors
SELECT INTERVAL(5, 1, 10) FROM doctors
SELECT st_distance_sphere(point(1, 2), point(3, 4)), st_astext(point(1, 2)), st_x(point(1, 2)), rownum(), sys_guid(), natural_sort_key('a'), random_bytes(3), json_normalize('{}'), json_equals('1', '1'), st_contains(point(1, 1), point(1, 1)), st_distance(point(1, 1), point(1, 1)), is_ipv4('a'), inet_aton('1')
SELECT st_foo(1)
WITH RECURSIVE r AS (SELECT id FROM doctors UNION ALL SELECT d.id FROM doctors d, (SELECT id FROM r) x WHERE d.boss_id = x.id) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id FROM doctors UNION ALL SELECT d.id FROM doctors d, r WHERE d.boss_id = r.id GROUP BY d.id) SELECT * FROM r
WITH RECURSIVE r AS (SELECT id FROM doctors EXCEPT SELECT d.id FROM doctors d, r WHERE d.boss_id = r.id) SELECT * FROM r
WITH RECURSIVE r AS (SELECT r.id FROM r UNION ALL SELECT id FROM doctors) SELECT * FROM r
SELECT * FROM wards w LEFT JOIN doctors d LEFT JOIN visits v ON v.doctor_id = d.id ON d.ward_id = w.id
SELECT * FROM wards w LEFT JOIN doctors d LEFT JOIN visits v ON w.id = d.ward_id ON v.doctor_id = d.id
SELECT * FROM wards w JOIN doctors d JOIN visits v ON w.id = d.ward_id ON v.doctor_id = d.id
SELECT * FROM wards w JOIN doctors d JOIN visits v ON v.doctor_id = d.id ON d.ward_id = w.id
SELECT * FROM wards w JOIN (doctors d JOIN visits v ON v.doctor_id = w.id) ON d.ward_id = w.id
SELECT * FROM wards w, (doctors d JOIN visits v ON v.doctor_id = d.id AND d.ward_id = w.id)
SELECT * FROM (wards w, doctors d) JOIN visits v ON v.doctor_id = w.id
INSERT INTO wards VALUES (1, 'a')
INSERT INTO wards VALUES (1, 'a', 2)
INSERT INTO wards VALUES (1, 'a', 2), (1, 'a')
INSERT INTO wards VALUES (1, 'a', 2, 3)
INSERT INTO wards VALUES ()
INSERT INTO wards (id) VALUES ()
INSERT INTO wards () VALUES ()
INSERT INTO wards VALUE (1, 'a', 2)
INSERT INTO wards SELECT * FROM wards
INSERT INTO wards (id, title) VALUES (1, 'a', 2)
INSERT INTO wards (id, id) VALUES (1, 2)
INSERT INTO wards (id, title) VALUES (1, id + 1)
INSERT INTO wards (id, title) VALUES (1, wards.id + 1)
INSERT INTO wards (id, title) VALUES (1, ghost)
INSERT INTO wards (id, title) VALUES (1, DEFAULT)
INSERT INTO wards (id, title) VALUES (1, (SELECT max(title) FROM wards))
INSERT INTO wards (id, title) VALUES (1, 'a') ON DUPLICATE KEY UPDATE title = VALUES(title), beds = beds + 1
INSERT INTO wards (id, title) VALUES (1, 'a') ON DUPLICATE KEY UPDATE title = VALUES(ghost)
INSERT INTO wards (id, title) VALUES (1, 'a') ON DUPLICATE KEY UPDATE ghost = 1
INSERT INTO wards (id, title) VALUES (1, 'a') ON DUPLICATE KEY UPDATE title = ghost
INSERT INTO wards (id, title) VALUES (1, 'a') ON DUPLICATE KEY UPDATE wards.title = 'x'
INSERT INTO wards (id, title) SELECT d.id, d.full_name FROM doctors d ON DUPLICATE KEY UPDATE title = d.full_name
INSERT INTO wards (id, title) VALUES (1, 'a') AS new ON DUPLICATE KEY UPDATE title = new.title
INSERT INTO wards SET id = 1, title = 'a'
INSERT INTO wards SET ghost = 1
INSERT INTO wards SET id = 1, id = 2
INSERT wards (id) VALUES (1)
INSERT INTO wards DEFAULT VALUES
INSERT INTO wards (id) VALUES (1) RETURNING id, title
INSERT INTO wards (id) VALUES (1) RETURNING ghost
INSERT INTO wards (id) VALUES (1) RETURNING *
INSERT INTO wards TABLE doctors
INSERT INTO wards (id) WITH a AS (SELECT 1) SELECT * FROM a
WITH a AS (SELECT 1) INSERT INTO wards (id) SELECT * FROM a
WITH a AS (SELECT 1 AS x) UPDATE wards SET beds = 1 WHERE id IN (SELECT x FROM a)
WITH a AS (SELECT 1 AS x) DELETE FROM wards WHERE id IN (SELECT x FROM a)
REPLACE INTO wards (id, title) VALUES (1, 'a')
REPLACE INTO wards SELECT * FROM wards
REPLACE wards VALUES (1, 'a', 2)
REPLACE INTO wards SET id = 1
DELETE wards FROM wards w WHERE w.id = 1
DELETE w FROM wards w WHERE w.id = 1
DELETE x FROM wards w WHERE w.id = 1
DELETE w FROM wards AS w JOIN doctors d ON d.ward_id = w.id
DELETE w, d FROM wards AS w JOIN doctors d ON d.ward_id = w.id
DELETE wards FROM wards JOIN doctors d ON d.ward_id = wards.id
DELETE FROM w USING wards w JOIN doctors d ON d.ward_id = w.id
DELETE FROM wards USING wards JOIN doctors d ON d.ward_id = wards.id
DELETE FROM wards USING doctors d WHERE d.ward_id = wards.id
DELETE FROM x USING wards w
DELETE FROM wards JOIN doctors ON doctors.ward_id = wards.id WHERE 1
DELETE FROM wards w JOIN doctors d ON d.ward_id = w.id WHERE 1
DELETE wards WHERE id = 1
DELETE * FROM wards
DELETE id FROM wards
DELETE FROM wards WHERE ghost = 1
DELETE FROM wards ORDER BY id LIMIT 1
DELETE w FROM wards w ORDER BY id LIMIT 1
DELETE w FROM wards w JOIN doctors d ON d.ward_id = w.id LIMIT 1
DELETE FROM wards WHERE id IN (SELECT id FROM wards WHERE beds = 0)
DELETE FROM wards WHERE id = 1 RETURNING id
DELETE w FROM wards w WHERE w.id = 1 RETURNING id
UPDATE wards SET (beds, title) = (1, 'a')
UPDATE wards SET beds = 1, beds = 2
UPDATE wards SET beds = beds + 1 WHERE id = (SELECT max(ward_id) FROM doctors)
UPDATE wards SET ghost = 1
UPDATE wards w SET w.beds = 1
UPDATE wards w SET wards.beds = 1
UPDATE wards w, doctors d SET w.beds = 1 WHERE d.ward_id = w.id
UPDATE wards w, doctors d SET id = 1 WHERE d.ward_id = w.id
UPDATE wards w JOIN doctors d ON d.ward_id = w.id SET w.beds = 1, d.salary = 2
UPDATE wards w JOIN doctors d ON d.ward_id = w.id SET w.beds = 1 LIMIT 1
UPDATE wards w JOIN doctors d ON d.ward_id = w.id SET w.beds = 1 ORDER BY w.id
UPDATE wards SET beds = DEFAULT
UPDATE wards SET beds = count(*)
UPDATE wards SET beds = sum(id) OVER ()
UPDATE wards SET beds = (SELECT count(*) FROM doctors d WHERE d.ward_id = wards.id) ORDER BY id LIMIT 2
UPDATE wards SET beds = 1 WHERE count(*) > 1
UPDATE wards SET beds = 1 WHERE beds = 2 RETURNING id
UPDATE wards JOIN (SELECT ward_id, count(*) AS n FROM doctors GROUP BY ward_id) d ON d.ward_id = wards.id SET wards.beds = d.n
UPDATE wards SET beds = 1, WHERE id = 1
UPDATE TABLE wards SET beds = 1
UPDATE wards beds = 1
SELECT contains(title, 'x') FROM wards
SELECT overlaps(title, 'x') FROM wards
SELECT equals(title, 'x') FROM wards
SELECT within(title, 'x') FROM wards
SELECT st_x('a') FROM wards
SELECT st_contains(point(1, 1), point(1, 1)) FROM wards
SELECT st_distance(point(1, 2), st_geomfromtext('POINT(1 1)')) FROM wards
SELECT area('x') FROM wards
SELECT st_astext(title) FROM wards
SELECT st_geomfromtext(title), point(id, beds), st_distance_sphere(point(1, 2), point(2, 3)) FROM wards
SELECT st_geomfromtext('POINT(1 1)'), st_pointfromtext('POINT(1 1)') FROM wards
SELECT json_objectagg(title: id) FROM wards
SELECT w.id AS x, d.id AS x FROM wards w JOIN doctors d ON d.ward_id = w.id GROUP BY x
SELECT w.id, d.id FROM wards w JOIN doctors d ON d.ward_id = w.id GROUP BY id
SELECT w.id, d.id FROM wards w JOIN doctors d ON d.ward_id = w.id GROUP BY w.id
SELECT w.id, w.id FROM wards w JOIN doctors d ON d.ward_id = w.id GROUP BY id
SELECT w.id, w.id AS id FROM wards w JOIN doctors d ON d.ward_id = w.id GROUP BY id
SELECT w.id AS x, w.id AS x FROM wards w GROUP BY x
SELECT w.id AS x, w.beds AS x FROM wards w GROUP BY x
SELECT w.id AS beds, w.beds FROM wards w GROUP BY beds
SELECT w.id AS beds, w.title AS beds FROM wards w GROUP BY beds
SELECT w.id AS x, w.beds AS x FROM wards w HAVING x > 1
SELECT w.id AS x, w.id AS x FROM wards w HAVING x > 1
SELECT w.id AS x, w.beds AS x FROM wards w ORDER BY x
SELECT w.id AS x, w.beds AS x FROM wards w ORDER BY x + 1
SELECT w.id AS x, w.id AS x FROM wards w ORDER BY x + 1
SELECT w.id AS x, w.beds + 1 AS x FROM wards w ORDER BY x
SELECT w.id AS x, w.beds + 1 AS x FROM wards w GROUP BY x
SELECT w.id AS x, count(*) AS x FROM wards w GROUP BY x
SELECT w.id, d.id FROM wards w JOIN doctors d ON d.ward_id = w.id ORDER BY id
SELECT w.id, d.id FROM wards w JOIN doctors d ON d.ward_id = w.id HAVING id > 1
SELECT w.id, d.id FROM wards w JOIN doctors d ON d.ward_id = w.id GROUP BY id + 1
SELECT w.id, d.id AS x FROM wards w JOIN doctors d ON d.ward_id = w.id GROUP BY id
SELECT w.id, d.id + 1 AS id FROM wards w JOIN doctors d ON d.ward_id = w.id GROUP BY id
SELECT w.*, d.* FROM wards w JOIN doctors d ON d.ward_id = w.id GROUP BY id
SELECT w.*, d.full_name FROM wards w JOIN doctors d ON d.ward_id = w.id GROUP BY id
SELECT id, title FROM wards JOIN drugs ON TRUE GROUP BY title
SELECT wards.title FROM wards JOIN drugs ON TRUE GROUP BY title
UPDATE IGNORE wards SET beds = 1
UPDATE IGNORE wards SET ghost = 1
DELETE IGNORE FROM wards WHERE id = 1
DELETE IGNORE FROM wards WHERE ghost = 1
UPDATE wards SET beds = DEFAULT(beds)
UPDATE wards SET beds = DEFAULT(beds) + 1 WHERE id = 1
INSERT INTO wards (id, title) VALUES (1, DEFAULT(title))
SELECT DEFAULT FROM wards
UPDATE IGNORE SET beds = 1
UPDATE LOW_PRIORITY wards SET beds = 1
UPDATE LOW_PRIORITY IGNORE wards SET beds = 1 WHERE ghost = 1
DELETE QUICK FROM wards WHERE id = 1
DELETE LOW_PRIORITY QUICK IGNORE FROM wards WHERE ghost = 1
INSERT LOW_PRIORITY INTO wards (id) VALUES (1)
INSERT HIGH_PRIORITY IGNORE INTO wards (id, ghost) VALUES (1, 2)
REPLACE wards (id) VALUES (1)
REPLACE wards SET id = 1, title = 'a'
REPLACE INTO wards SET ghost = 1
DELETE FROM wards, doctors USING wards JOIN doctors ON doctors.ward_id = wards.id
DELETE wards.*, d.* FROM wards JOIN doctors d ON d.ward_id = wards.id
DELETE wards.* FROM wards JOIN doctors d ON d.ghost = wards.id
SELECT SQL_NO_CACHE DISTINCT ward_id FROM doctors
SELECT HIGH_PRIORITY DISTINCTROW ward_id FROM doctors
SELECT SQL_CALC_FOUND_ROWS DISTINCT ghost FROM doctors
SELECT w.id FROM wards w USE INDEX FOR ORDER BY (PRIMARY) ORDER BY w.id
SELECT w.id FROM wards w FORCE INDEX FOR JOIN (PRIMARY) JOIN doctors d ON d.ward_id = w.id
SELECT id INTO OUTFILE '/tmp/x.csv' FIELDS TERMINATED BY ',' FROM wards
SELECT id FROM wards WHERE beds > 3 INTO OUTFILE '/tmp/x.csv' FIELDS TERMINATED BY ',' LINES TERMINATED BY '\n'
SELECT ghost INTO DUMPFILE '/tmp/x' FROM wards
SELECT id FROM wards PROCEDURE ANALYSE(10)
SELECT id FROM wards LIMIT 10 ROWS EXAMINED 1000
SELECT id FROM wards LIMIT ROWS EXAMINED 1000
SELECT * FROM {OJ wards w LEFT OUTER JOIN doctors d ON d.ward_id = w.id}
SELECT * FROM { oj wards w LEFT OUTER JOIN doctors d ON d.ghost = w.id } WHERE w.id = 1
SELECT rank() OVER w FROM wards WINDOW w AS (PARTITION BY beds)
SELECT rank() OVER w FROM wards WINDOW w AS (PARTITION BY beds ORDER BY id)
SELECT rank() OVER (w ORDER BY id), sum(beds) OVER w FROM wards WINDOW w AS (PARTITION BY beds)
SELECT rank() OVER v FROM wards WINDOW w AS (ORDER BY id), v AS (w)
SELECT group_concat(DISTINCT title ORDER BY title SEPARATOR ', ') OVER (PARTITION BY beds) FROM wards
SELECT GROUP_CONCAT(full_name SEPARATOR ', '), GROUP_CONCAT(city) FROM patients
SELECT GROUP_CONCAT(full_name SEPARATOR city), GROUP_CONCAT(city) FROM patients
SELECT o.when, o.from, o.then FROM (SELECT 1 AS `when`, 2 AS `from`, 3 AS `then`) o
SELECT l.order, l.unit FROM `Lab Results` l WHERE l.order BETWEEN 1 AND 3 ORDER BY l.order
SELECT CASE WHEN @t = ward_id THEN @r := @r + 1 ELSE @r := 1 END AS place, @t := ward_id FROM doctors, (SELECT @r := 0, @t := NULL) begun ORDER BY ward_id
SELECT id FROM doctors WHERE salary > 3 AND @x := ghost
SELECT id FROM doctors ORDER BY @x := salary
SELECT get_format(DATE, 'USA'), get_format(DATETIME, 'ISO'), get_format(TIME, 'EUR'), get_format(TIMESTAMP, 'JIS')
SELECT CAST (id AS CHAR) FROM doctors
SELECT CONVERT (id, CHAR) FROM doctors
SELECT DATE_ADD (hired, INTERVAL 1 DAY) FROM doctors
SELECT DATE_SUB (hired, INTERVAL 1 DAY) FROM doctors
SELECT EXTRACT (YEAR FROM hired) FROM doctors
SELECT POSITION ('a' IN full_name) FROM doctors
SELECT TIMESTAMPDIFF (DAY, hired, hired) FROM doctors
DELETE FROM doctors LIMIT 3, 3
UPDATE doctors SET salary = 1 LIMIT 3, 3
SELECT upper(full_name) OVER () FROM doctors
SELECT ward_id, sum(salary) AS s FROM doctors GROUP BY ward_id HAVING s > (SELECT avg(s) FROM doctors)
SELECT ward_id, sum(salary) AS s FROM doctors GROUP BY ward_id HAVING s > (SELECT avg(salary) FROM doctors WHERE salary < s)
SELECT ward_id, salary AS s FROM doctors GROUP BY ward_id HAVING s > (SELECT avg(salary) FROM doctors WHERE salary < s)
SELECT ward_id, sum(salary) AS s FROM doctors GROUP BY ward_id HAVING s > (SELECT avg(x.s) FROM (SELECT sum(salary) AS s FROM doctors GROUP BY ward_id) x)
SELECT ward_id, round(sum(salary), 1) AS s FROM doctors GROUP BY ward_id HAVING s > (SELECT avg(salary) FROM doctors WHERE salary < s)
SELECT ward_id, rank() OVER (ORDER BY ward_id) AS s FROM doctors HAVING ward_id > (SELECT avg(salary) FROM doctors WHERE salary < s)
SELECT d.ward_id AS w FROM doctors d JOIN wards v ON v.id = d.ward_id HAVING ward_id > 3
SELECT d.id AS w FROM doctors d JOIN wards v ON v.id = d.ward_id HAVING id > 3
SELECT d.id AS w FROM doctors d JOIN wards v ON v.id = d.ward_id GROUP BY id
SELECT d.id AS a, v.id AS b FROM doctors d JOIN wards v ON v.id = d.ward_id HAVING id > 3
SELECT d.id AS a, d.id AS b FROM doctors d JOIN wards v ON v.id = d.ward_id HAVING id > 3
SELECT d.id + 1 AS a FROM doctors d JOIN wards v ON v.id = d.ward_id HAVING id > 3
SELECT count(*) FROM doctors d JOIN wards v ON v.id = d.ward_id GROUP BY v.id HAVING id > 3
SELECT count(*) FROM doctors d JOIN wards v ON v.id = d.ward_id GROUP BY v.id, d.id HAVING id > 3
SELECT count(*) FROM doctors d JOIN wards v ON v.id = d.ward_id GROUP BY v.id + 1 HAVING id > 3
SELECT d.id AS a, count(*) FROM doctors d JOIN wards v ON v.id = d.ward_id GROUP BY a HAVING id > 3
SELECT d.id AS a, count(*) FROM doctors d JOIN wards v ON v.id = d.ward_id GROUP BY v.id HAVING id > 3
SELECT count(*) FROM doctors d JOIN wards v ON v.id = d.ward_id GROUP BY v.id ORDER BY id
SELECT ward_id, sum(salary) AS s, (SELECT s * 2) AS t FROM doctors GROUP BY ward_id
SELECT ward_id, sum(salary) AS s, (SELECT max(beds) FROM wards WHERE beds < s) AS t FROM doctors GROUP BY ward_id
SELECT ward_id, rank() OVER (ORDER BY ward_id) AS s, (SELECT s * 2) AS t FROM doctors
SELECT ward_id, salary AS s, (SELECT s * 2) AS t FROM doctors
INSERT INTO wards (id, beds) SELECT id, beds FROM wards w ON DUPLICATE KEY UPDATE beds = VALUES(beds)
INSERT INTO wards (id, beds) SELECT id, beds FROM wards w ON DUPLICATE KEY UPDATE beds = VALUES(beds) + w.beds
INSERT INTO drugs (code, title) SELECT title, title FROM wards ON DUPLICATE KEY UPDATE title = VALUES(title)
INSERT INTO drugs (code, title) SELECT title, title FROM wards ON DUPLICATE KEY UPDATE title = concat(title, 'a')
INSERT INTO drugs (code, title) SELECT title, title FROM wards ON DUPLICATE KEY UPDATE title = concat(drugs.title, VALUES(title))
INSERT INTO drugs (code, title) SELECT title, max(title) FROM wards GROUP BY title ON DUPLICATE KEY UPDATE title = wards.title
INSERT INTO drugs (code, title) SELECT DISTINCT title, title FROM wards w ON DUPLICATE KEY UPDATE drugs.title = w.title
INSERT INTO drugs (code, title) SELECT title, title FROM wards w ON DUPLICATE KEY UPDATE w.title = 'a'
INSERT INTO drugs (code, title) SELECT title, title FROM wards w ON DUPLICATE KEY UPDATE beds = 1
INSERT INTO drugs (code, title) SELECT title, title FROM wards w ON DUPLICATE KEY UPDATE price = VALUES(beds)
INSERT INTO drugs (code, price) VALUES ('a', 1) ON DUPLICATE KEY UPDATE price = greatest(price, VALUES(price))
INSERT INTO drugs (code, price) VALUES ('a', 1) ON DUPLICATE KEY UPDATE price = price + VALUES(ghost)
INSERT INTO wards (id, title) SELECT id FROM doctors
INSERT INTO wards SELECT id, full_name FROM doctors
INSERT INTO wards (id, ghost) SELECT id, full_name FROM doctors
INSERT INTO wards (id, id) SELECT id, id FROM doctors
REPLACE INTO wards SELECT id, full_name FROM doctors
UPDATE wards w JOIN (SELECT ward_id, count(*) AS n FROM doctors GROUP BY ward_id) d ON d.ward_id = w.id SET w.beds = d.n
UPDATE wards w JOIN (SELECT ward_id, count(*) AS n FROM doctors GROUP BY ward_id) d ON d.ward_id = w.id SET d.n = 1
UPDATE wards w JOIN (SELECT ward_id, salary FROM doctors) d ON d.ward_id = w.id SET salary = 1
UPDATE (SELECT id, beds FROM wards) w SET beds = 1
DELETE d FROM wards w JOIN (SELECT ward_id, salary FROM doctors) d ON d.ward_id = w.id
DELETE w FROM wards w JOIN (SELECT ward_id, salary FROM doctors) d ON d.ward_id = w.id
SELECT j.a FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (a PATH '$.a')) j
SELECT j.a FROM visits v, JSON_TABLE(v.details, '$[*]' COLUMNS (n FOR ORDINALITY, a varchar(9) PATH '$.a', NESTED PATH '$.b' COLUMNS (c int PATH '$.c'))) j
DELETE wards FROM wards, doctors WHERE wards.id = doctors.ward_id
SELECT CAST(beds AS float(10,2)) FROM wards
SELECT CAST(beds AS double(10,2)), CAST(beds AS decimal(4)), CAST(title AS char(3)), CAST(title AS binary(3)) FROM wards
SELECT CAST(beds AS int(3)) FROM wards
SELECT CAST(beds AS signed(3)) FROM wards
SELECT CAST(beds AS date(3)) FROM wards
SELECT CAST(beds AS varchar) FROM wards
SELECT CAST(beds AS varchar(9) CHARACTER SET utf8mb4), CAST(beds AS char CHARSET utf8mb4) FROM wards
SELECT nextval(numbers), lastval(numbers)
INSERT INTO wards (id, title) VALUES (nextval(numbers), 'x')
SELECT nextval(numbers) + ghost FROM wards
