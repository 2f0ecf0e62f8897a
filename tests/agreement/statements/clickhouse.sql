-- ClickHouse's own
SELECT sensor, count() FROM readings GROUP BY sensor ORDER BY count() DESC LIMIT 10
SELECT toStartOfHour(taken) AS hour, avg(value) AS mean, quantile(0.95)(value) AS p95 FROM readings WHERE taken >= now() - INTERVAL 1 DAY GROUP BY hour ORDER BY hour
SELECT toStartOfInterval(taken, INTERVAL 15 MINUTE) AS slot, uniqExact(trace) FROM readings GROUP BY slot
SELECT sensor, quantiles(0.5, 0.9, 0.99)(value)[2] AS p90 FROM readings GROUP BY sensor
SELECT countIf(value > 10), sumIf(value, state = 'ok'), avgIf(battery, battery IS NOT NULL) FROM readings
SELECT sensor, argMax(value, taken) AS latest, max(taken) FROM readings GROUP BY sensor
SELECT sensor, tag FROM readings ARRAY JOIN tags AS tag
SELECT sensor, tag, n FROM readings LEFT ARRAY JOIN tags AS tag, arrayEnumerate(tags) AS n WHERE n < 3
SELECT sensor, steps.title, steps.seconds FROM readings ARRAY JOIN steps
SELECT sensor, s.title FROM readings ARRAY JOIN steps AS s WHERE s.seconds > 60
SELECT arrayJoin(tags) AS tag, count() AS n FROM readings GROUP BY tag HAVING n > 1
SELECT labels['room'] AS room, mapKeys(labels), mapContains(labels, 'floor') FROM readings
SELECT place.lat, place.2, tupleElement(place, 'lon') FROM readings
SELECT arrayMap(x -> x * 2, levels), arrayFilter(x -> x > 0.5, levels), arraySum(levels) FROM readings
SELECT arrayMap((x, t) -> concat(t, toString(x)), levels, tags) FROM readings
SELECT arrayExists(t -> t LIKE 'a%', tags), has(tags, 'hot'), indexOf(tags, 'hot'), length(tags) FROM readings
SELECT sensor, groupArray(value), groupUniqArray(3)(state), groupArraySorted(5)(value) FROM readings GROUP BY sensor
SELECT sensor, topK(3)(arrayJoin(tags)) FROM readings GROUP BY sensor
SELECT sensor, value, taken FROM readings ORDER BY taken DESC LIMIT 2 BY sensor
SELECT sensor, value FROM readings ORDER BY sensor LIMIT 1, 2 BY sensor LIMIT 10
SELECT day, sum(value) FROM readings GROUP BY day WITH TOTALS ORDER BY day
SELECT sensor, day, sum(value) FROM readings GROUP BY ROLLUP(sensor, day)
SELECT sensor, state, count() FROM readings GROUP BY sensor, state WITH CUBE
SELECT sensor, state, count() FROM readings GROUP BY GROUPING SETS ((sensor), (state), ())
SELECT * FROM readings FINAL
SELECT sensor, value FROM readings SAMPLE 0.1 WHERE value > 0
SELECT sensor FROM readings SAMPLE 1/10 OFFSET 1/2
SELECT sensor, value FROM readings PREWHERE state = 'bad' WHERE value > 3
SELECT * EXCEPT (tags, levels) FROM readings
SELECT * REPLACE (value * 2 AS value) FROM readings
SELECT COLUMNS('^s') FROM readings
SELECT COLUMNS(value, battery) APPLY(sum) FROM readings
SELECT * EXCEPT (bag) FROM readings LIMIT 5 SETTINGS max_threads = 1
SELECT sensor, sumMerge(sums), uniqMerge(people), max(peak) FROM totals GROUP BY sensor
SELECT sensor, finalizeAggregation(sums) FROM totals
SELECT sensor, sumState(value) AS s FROM readings GROUP BY sensor
SELECT dateDiff('day', min(taken), max(taken)) FROM readings
SELECT dateDiff('hour', taken, exact), date_diff(minute, taken, exact), timeDiff(taken, exact) FROM readings
SELECT formatDateTime(taken, '%Y-%m-%d %H:%i'), toYYYYMM(taken), toDayOfWeek(taken), toISOWeek(day) FROM readings
SELECT addDays(day, 3), subtractMonths(taken, 1), day + INTERVAL 2 WEEK, taken - toIntervalHour(5) FROM readings
SELECT toDate('2024-01-01') + number AS d FROM numbers(31)
SELECT parseDateTimeBestEffort(note), toDateTimeOrNull(note), toInt32OrZero(note), toFloat64OrNull(note) FROM readings
SELECT toTypeName(battery), ifNull(battery, 0), coalesce(note, sensor, 'none'), assumeNotNull(note) FROM readings
SELECT if(value > 10, 'high', 'low'), multiIf(value > 10, 'high', value > 5, 'middle', 'low') FROM readings
SELECT value > 10 ? 'high' : 'low' FROM readings
SELECT splitByChar(',', sensor)[1], splitByString('--', sensor), arrayStringConcat(tags, ', ') FROM readings
SELECT extractAll(sensor, '\\d+'), match(sensor, '^a'), replaceRegexpAll(sensor, '[0-9]', ''), position(sensor, 'x') FROM readings
SELECT lowerUTF8(sensor), substring(sensor, 1, 3), left(sensor, 2), leftPad(sensor, 10, '0'), trimBoth(sensor) FROM readings
SELECT JSONExtractString('{"a": "x"}', 'a'), JSONExtract('{"a": 1}', 'a', 'Int32'), JSONHas(note, 'a') FROM readings
SELECT bag.room, bag.size.:Int64 FROM readings
SELECT cityHash64(sensor, value), sipHash64(sensor), hex(MD5(sensor)), xxHash32(sensor) FROM readings
SELECT IPv4NumToString(toUInt32(host)), toIPv4('10.0.0.1') = host, isIPAddressInRange(toString(host), '10.0.0.0/8') FROM readings
SELECT generateUUIDv4(), toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') = trace FROM readings
SELECT sensor, value - lagInFrame(value) OVER (PARTITION BY sensor ORDER BY taken ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS change FROM readings
SELECT sensor, row_number() OVER w AS n, avg(value) OVER w FROM readings WINDOW w AS (PARTITION BY sensor ORDER BY taken)
SELECT sensor, value FROM readings QUALIFY row_number() OVER (PARTITION BY sensor ORDER BY value DESC) <= 3
SELECT runningDifference(value), runningAccumulate(sums) FROM (SELECT value, sumState(value) AS sums FROM readings GROUP BY value) SETTINGS allow_deprecated_error_prone_window_functions = 1
SELECT r.sensor, t.peak FROM readings AS r ANY LEFT JOIN totals AS t USING (sensor)
SELECT r.sensor, t.peak FROM readings r ASOF JOIN totals t ON r.sensor = t.sensor AND r.day >= t.day
SELECT r.sensor FROM readings AS r LEFT SEMI JOIN totals AS t ON r.sensor = t.sensor
SELECT r.sensor FROM readings AS r LEFT ANTI JOIN totals AS t USING sensor
SELECT r.sensor FROM readings AS r GLOBAL INNER JOIN totals AS t USING (sensor, day)
SELECT a.sensor, b.sensor FROM readings a CROSS JOIN noisy b WHERE a.sensor != b.sensor
SELECT sensor FROM readings WHERE (sensor, day) IN (SELECT sensor, day FROM totals)
SELECT sensor FROM readings WHERE sensor GLOBAL IN (SELECT sensor FROM totals)
SELECT sensor FROM readings WHERE sensor IN ('a', 'b') AND state IN ('ok', 'bad')
SELECT sensor FROM readings WHERE trace IN ['61f0c404-5cb3-11e7-907b-a6006ad3dba0']
WITH 10 AS least_value SELECT sensor FROM readings WHERE value > least_value
WITH (SELECT avg(value) FROM readings) AS mean SELECT sensor, value / mean FROM readings
WITH x -> x * x AS square SELECT square(value) FROM readings
WITH loud AS (SELECT sensor FROM readings WHERE value > 90) SELECT count() FROM loud JOIN totals USING sensor
SELECT value AS v, v * 2 AS w, w + v FROM readings WHERE w > 10
SELECT sum(value) AS total, total / count() AS mean FROM readings
SELECT sensor AS s, count() AS n FROM readings GROUP BY s HAVING n > 10 ORDER BY n DESC
SELECT sensor, taken, value FROM readings ORDER BY taken WITH FILL FROM toDateTime('2024-01-01 00:00:00') TO toDateTime('2024-01-02 00:00:00') STEP 3600
SELECT day, sum(value) AS total FROM readings GROUP BY day ORDER BY day WITH FILL INTERPOLATE (total AS total + 1)
SELECT number, number % 3 FROM numbers(10, 5) WHERE number > 11
SELECT * FROM values('a Int32, b String', (1, 'x'), (2, 'y'))
SELECT number FROM system.numbers LIMIT 3
SELECT name, type FROM system.columns WHERE table = 'readings'
SELECT windowFunnel(3600)(taken, state = 'ok', state = 'bad') FROM readings GROUP BY sensor
SELECT retention(state = 'ok', state = 'bad'), sequenceMatch('(?1)(?2)')(taken, state = 'ok', state = 'bad') FROM readings
SELECT corr(value, battery), stddevPop(value), varSamp(value), skewPop(value), covarPop(value, battery) FROM readings
SELECT simpleLinearRegression(value, battery), entropy(sensor), any(sensor), anyLast(note) FROM readings
SELECT groupBitOr(battery), groupBitmap(toUInt32(battery)), sumMap(map(sensor, value)), maxMap(labels) FROM readings
SELECT sensor, uniq(trace), uniqCombined(trace), uniqHLL12(trace), uniqTheta(trace) FROM readings GROUP BY ALL
SELECT avgWeighted(value, battery), median(value), quantileTDigest(0.9)(value), quantileExactWeighted(0.5)(value, battery) FROM readings
SELECT bitAnd(battery, 3), bitShiftLeft(battery, 1), intDiv(battery, 2), modulo(battery, 3), greatest(battery, 1) FROM readings
SELECT round(value, 2), floor(value, -1), roundBankers(value), truncate(value), sqrt(abs(value)), pow(value, 2) FROM readings
SELECT CAST(value AS Int32), value::String, CAST(note, 'Nullable(Int32)'), toDecimal64(value, 3), accurateCastOrNull(value, 'UInt8') FROM readings
SELECT arraySort(x -> -x, levels), arrayReverse(tags), arrayDistinct(tags), arrayConcat(tags, ['z']), arraySlice(tags, 1, 2) FROM readings
SELECT arrayZip(tags, levels), arrayReduce('sum', levels), arrayFold(acc, x -> acc + x, levels, toFloat32(0)), arrayCumSum(levels) FROM readings
SELECT mapApply((k, v) -> (k, upper(v)), labels), mapFilter((k, v) -> k != 'x', labels), mapAdd(map('a', 1), map('b', 2)) FROM readings
SELECT geoDistance(place.lon, place.lat, 13.4, 52.5), greatCircleDistance(0, 0, place.lon, place.lat) FROM readings
SELECT domain(note), path(note), protocol(note), extractURLParameter(note, 'q'), cutQueryString(note) FROM readings
SELECT bar(value, 0, 100, 20), formatReadableSize(battery), formatReadableTimeDelta(value) FROM readings
SELECT transform(state, ['ok', 'bad'], ['good', 'poor'], 'other') FROM readings
SELECT transform(toString(state), ['ok', 'bad'], ['good', 'poor'], 'other'), toInt8(state) FROM readings
SELECT isNull(note), isNotNull(battery), nullIf(sensor, ''), empty(tags), notEmpty(sensor) FROM readings
SELECT sensor FROM readings UNION ALL SELECT sensor FROM totals UNION DISTINCT SELECT sensor FROM noisy
(SELECT sensor FROM readings LIMIT 1) UNION ALL (SELECT sensor FROM totals LIMIT 1)
SELECT sensor FROM readings INTERSECT SELECT sensor FROM totals
SELECT DISTINCT ON (sensor) sensor, value FROM readings ORDER BY sensor, taken DESC
SELECT EXISTS (SELECT 1 FROM totals), exists(SELECT 1 FROM noisy) FROM readings
SELECT sensor FROM readings AS r WHERE value > (SELECT avg(value) FROM readings AS i WHERE i.sensor = r.sensor)
SELECT toStartOfMonth(taken), toMonday(day), toStartOfFiveMinutes(taken), toStartOfDay(exact), toUnixTimestamp(taken), fromUnixTimestamp(1700000000) FROM readings
SELECT date_trunc('month', taken), dateName('weekday', taken), toTimeZone(taken, 'Europe/Berlin'), now64(3), today() - 7 FROM readings
SELECT extract(year FROM taken), extract(hour FROM exact), toSecond(exact), toHour(taken) FROM readings
SELECT format('{} {}', sensor, note), concat(sensor, '-', value), concatWithSeparator('-', sensor, note), sensor || note FROM readings
SELECT arrayElement(tags, 1), tags[-1], steps.title[1], levels[1] + 1 FROM readings
SELECT * FROM readings ORDER BY ALL
SELECT sensor, count() FROM readings GROUP BY 1 ORDER BY 2 DESC LIMIT 5 WITH TIES
SELECT sensor, value FROM readings LIMIT 10 OFFSET 5
SELECT sensor FROM readings FORMAT JSONEachRow
SELECT deltaSum(value), boundingRatio(value, battery), maxIntersections(toUnixTimestamp(taken), toUnixTimestamp(exact)) FROM readings
SELECT sensor, sumOrNull(value), sumOrDefaultIf(value, value > 0), countDistinct(trace), sumDistinct(battery) FROM readings GROUP BY sensor
SELECT sumForEach(levels), avgArray(levels), groupArrayArray(tags), uniqArray(tags) FROM readings
SELECT sensro FROM readings
SELECT sensor FROM reading
SELECT r.peak FROM readings AS r
SELECT totals.value FROM totals
SELECT uniqexact(trace) FROM readings
SELECT toStartofHour(taken) FROM readings
SELECT date_format_iso(taken) FROM readings
SELECT string_agg(sensor, ',') OVER () FROM readings
SELECT to_char(taken, 'YYYY') FROM readings
SELECT strftime('%Y', taken) FROM readings
SELECT sensor, count() FROM readings
SELECT sensor, value, count() FROM readings GROUP BY sensor
SELECT sensor FROM readings GROUP BY sensor HAVING value > 1
SELECT sensor FROM readings WHERE count() > 1
SELECT sensor FROM readings GROUP BY sensor ORDER BY taken
SELECT sum(avg(value)) FROM readings
SELECT toStartOfHour() FROM readings
SELECT dateDiff('day', taken) FROM readings
SELECT dateDiff('fortnight', taken, exact) FROM readings
SELECT round(value, 1, 2) FROM readings
SELECT toDate(taken, 'UTC', 1, 2) FROM readings
SELECT quantile(value, 0.5) FROM readings
SELECT arrayMap(levels, x -> x * 2) FROM readings
SELECT arrayMap((x, y) -> x + y, levels) FROM readings
SELECT arraySum(tags) FROM readings
SELECT arrayJoin(sensor) FROM readings
SELECT has(tags, 1) FROM readings
SELECT sensor + 1 FROM readings
SELECT value || tags FROM readings
SELECT upper(value) FROM readings
SELECT sum(sensor) FROM readings
SELECT avg(taken) FROM readings
SELECT place.alt FROM readings
SELECT labels.room FROM readings
SELECT steps.minutes FROM readings
SELECT tags['a'] FROM readings
SELECT sensor FROM readings WHERE sensor
SELECT sensor FROM readings WHERE tags = 'hot'
SELECT sensor FROM readings WHERE state = 'unknown'
SELECT sensor FROM readings WHERE taken > 'yesterday'
SELECT sensor FROM readings WHERE trace = 'no uuid'
SELECT sensor FROM readings WHERE value LIKE '1%'
SELECT sensor FROM readings WHERE battery IN ('full')
SELECT sensor FROM readings JOIN totals ON sensor = peak
SELECT sensor FROM readings r JOIN totals t ON r.sensor = t.sensor AND r.value > t.nothing
SELECT sensor, day FROM readings JOIN totals USING (value)
SELECT sumMerge(value) FROM readings
SELECT uniqMerge(sums) FROM totals
SELECT sum(sums) FROM totals
SELECT CAST(value AS Integr) FROM readings
SELECT toInt31(value) FROM readings
SELECT sensor FROM readings UNION SELECT sensor FROM totals
SELECT sensor, value FROM readings UNION ALL SELECT sensor FROM totals
SELECT sensor FROM readings LIMIT -1 BY sensor, nothing
SELECT sensor FROM readings SAMPLE 0.1 WHERE nothing = 1
SELECT peak FROM totals SAMPLE 0.1
SELECT * EXCEPT (nothing) FROM readings
SELECT sensor FROM readings ORDER BY 3
SELECT lag(value, 1, 2, 3) OVER (ORDER BY taken) FROM readings
SELECT value FROM readings WHERE row_number() OVER (ORDER BY taken) = 1
SELECT row_number() FROM readings
SELECT sensor, tag FROM readings ARRAY JOIN sensor AS tag
SELECT sensor FROM readings ARRAY JOIN nothing AS tag
SELECT count(sensor, value) FROM readings
SELECT count(DISTINCT sensor, value) FROM readings
SELECT if(value > 1, 'a') FROM readings
SELECT multiIf(value > 1, 'a', value > 2, 'b') FROM readings
SELECT topK(sensor, 3) FROM readings
SELECT windowFunnel(taken, state = 'ok') FROM readings
SELECT sensor FROM readings WHERE sensor = ANY (SELECT sensor FROM totals)
SELECT sensor FROM readings PREWHERE nothing = 1
SELECT mapKeys(tags), mapContains(place, 'a') FROM readings
SELECT splitByChar(sensor) FROM readings
SELECT formatDateTime(taken) FROM readings
SELECT formatDateTime(sensor, '%Y') FROM readings
SELECT toYear(sensor) FROM readings
SELECT day - sensor FROM readings
SELECT taken + exact FROM readings
SELECT tupleElement(place, 3) FROM readings
SELECT value AS a, a + b AS c, c + 1 AS b FROM readings
SELECT avg(value) AS value FROM readings WHERE value > 3
WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n
SELECT sensor FROM readings FETCH FIRST 3 ROWS ONLY
SELECT TOP 3 sensor FROM readings
SELECT sensor FROM readings WHERE sensor ILIKE '%A%' AND NOT (note ILIKE 'b')
SELECT sensor FROM readings, LATERAL (SELECT 1)
SELECT [sensor, value] FROM readings
SELECT [tags, levels], (value, sensor), array(1, 2), tuple(1, 'a') FROM readings
SELECT map('a', 1, 'b') FROM readings
SELECT EXTRACT(quarter FROM taken), EXTRACT(epoch FROM taken) FROM readings
-- names of outputs, rows, modifiers of GROUP BY
SELECT sensor FROM (SELECT t.sensor, t.peak FROM readings AS r JOIN totals AS t ON r.sensor = t.sensor)
SELECT t.sensor FROM (SELECT t.sensor, t.peak FROM readings AS r JOIN totals AS t ON r.sensor = t.sensor)
SELECT sensor FROM (SELECT r.sensor, t.peak FROM readings AS r JOIN totals AS t ON r.sensor = t.sensor)
WITH j AS (SELECT r.sensor, t.peak FROM readings AS r JOIN totals AS t ON r.sensor = t.sensor JOIN wards AS w ON w.id = t.peak) SELECT j.sensor FROM j
WITH j AS (SELECT r.sensor, t.peak FROM readings AS r JOIN totals AS t ON r.sensor = t.sensor JOIN wards AS w ON w.id = t.peak) SELECT r.sensor, peak FROM j
WITH j AS (SELECT r.sensor AS sensor, t.peak FROM readings AS r JOIN totals AS t ON r.sensor = t.sensor JOIN wards AS w ON w.id = t.peak) SELECT j.sensor FROM j
WITH j AS (SELECT * FROM readings AS r JOIN totals AS t USING (sensor)) SELECT sensor, t.day FROM j
WITH j AS (SELECT * FROM readings AS r JOIN totals AS t USING (sensor)) SELECT t.sensor FROM j
WITH j AS (SELECT t.* FROM readings AS r JOIN totals AS t ON r.sensor = t.sensor) SELECT j.peak, j.t.sensor FROM j
SELECT lat FROM (SELECT place.lat FROM readings)
SELECT place.lat FROM (SELECT place.lat, steps.title FROM readings)
SELECT t.sensor, count() FROM readings AS r JOIN totals AS t ON r.sensor = t.sensor GROUP BY t.sensor ORDER BY t.sensor
SELECT t.sensor, count() FROM readings AS r JOIN totals AS t ON r.sensor = t.sensor GROUP BY t.sensor ORDER BY sensor
SELECT count() FROM readings WHERE (sensor, day) IN ('a', '2024-01-01')
SELECT count() FROM readings WHERE (sensor, day) IN (('a', '2024-01-01'), ('b', '2024-01-02'))
SELECT count() FROM readings WHERE (sensor, day) IN (('a', '2024-01-01', 1))
SELECT count() FROM readings WHERE (sensor, day) IN (SELECT sensor, max(day) FROM totals GROUP BY sensor)
SELECT count() FROM readings WHERE (sensor, day) IN (SELECT tuple(sensor, day) FROM totals)
SELECT count() FROM readings WHERE place IN ((1.5, 2.5), (0.5, 1.5))
SELECT count() FROM readings WHERE value IN ((1, 2))
SELECT count(), sum(value) FROM readings WITH TOTALS
SELECT sensor FROM readings WITH TOTALS
SELECT sensor, count() FROM readings GROUP BY sensor WITH TOTALS FORMAT JSON
SELECT sensor, count() FROM readings GROUP BY sensor WITH ROLLUP SETTINGS max_threads = 1
SELECT sensor, taken FROM readings ORDER BY sensor DESC COLLATE 'en'
SELECT sensor, taken FROM readings ORDER BY taken LIMIT 2 BY ALL
SELECT sumMap(tags, levels), sumMap(map('a', value)) FROM readings
SELECT untuple(place), untuple((1, 2)) FROM readings
SELECT sensor, top FROM (SELECT sensor, 1 AS top FROM readings) ORDER BY top
SELECT v.name FROM values('name String, n UInt8', ('a', 1), ('b', 2)) AS v
SELECT toFixedString('abc', 1 + 2), toDate(NULL, 'UTC'), dateDiff(NULL, taken, taken) FROM readings
SELECT c1 FROM format(CSV, '1,2')
-- what models write
SELECT toStartOfDay(taken) AS d, sensor, avg(value) AS mean, avg(mean) OVER (PARTITION BY sensor ORDER BY d ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS rolling FROM readings GROUP BY d, sensor ORDER BY sensor, d
WITH daily AS (SELECT toDate(taken) AS d, sensor, max(value) AS top FROM readings GROUP BY d, sensor) SELECT d, sensor, top, top - lagInFrame(top) OVER (PARTITION BY sensor ORDER BY d) AS delta FROM daily ORDER BY d
SELECT p.city, count(DISTINCT v.patient_id) AS patients, sum(v.cost) AS spent FROM visits v INNER JOIN patients p ON v.patient_id = p.id GROUP BY p.city HAVING spent > 1000 ORDER BY spent DESC LIMIT 10
SELECT d.full_name, w.title, v.total FROM doctors d LEFT JOIN wards w ON d.ward_id = w.id LEFT JOIN (SELECT doctor_id, sum(cost) AS total FROM visits GROUP BY doctor_id) v ON v.doctor_id = d.id ORDER BY v.total DESC
SELECT doctor_id, total FROM (SELECT v.doctor_id, sum(v.cost) AS total FROM visits v JOIN doctors d ON v.doctor_id = d.id GROUP BY v.doctor_id) WHERE total > 100
SELECT id, total FROM (SELECT d.id, sum(v.cost) AS total FROM visits v JOIN doctors d ON v.doctor_id = d.id GROUP BY d.id) WHERE total > 100
SELECT s.id, s.total FROM (SELECT v.id, d.salary AS total FROM visits v JOIN doctors d ON v.doctor_id = d.id) AS s ORDER BY s.total
WITH spend AS (SELECT p.id, p.full_name, sum(v.cost) AS total FROM patients p JOIN visits v ON v.patient_id = p.id GROUP BY p.id, p.full_name) SELECT full_name, total FROM spend WHERE id > 5
WITH spend AS (SELECT p.id, p.full_name, sum(v.cost) AS total FROM visits v JOIN patients p ON v.patient_id = p.id GROUP BY p.id, p.full_name) SELECT full_name, total FROM spend WHERE id > 5
WITH a AS (SELECT patient_id, count() AS n FROM visits GROUP BY patient_id), b AS (SELECT patient_id, sum(cost) AS total FROM visits GROUP BY patient_id) SELECT a.patient_id, n, total FROM a JOIN b USING (patient_id) WHERE n > 2
WITH a AS (SELECT patient_id, count() AS n FROM visits GROUP BY patient_id) SELECT p.full_name, a.n FROM patients p JOIN a ON a.patient_id = p.id JOIN visits v ON v.patient_id = p.id ORDER BY n
SELECT * FROM (SELECT id, cost FROM visits) JOIN (SELECT id, salary FROM doctors) USING (id)
SELECT x.id, y.salary FROM (SELECT id, cost FROM visits) AS x JOIN (SELECT id, salary FROM doctors) AS y USING (id)
SELECT count() FROM readings, (SELECT max(value) AS top FROM readings) WHERE value = top
SELECT count() FROM readings, (SELECT max(value) AS top FROM readings) AS m WHERE value = m.top
SELECT number, count() FROM numbers(24) LEFT JOIN readings ON toHour(taken) = number GROUP BY number
SELECT h.number, count(r.sensor) FROM numbers(24) AS h LEFT JOIN readings AS r ON toHour(r.taken) = h.number GROUP BY h.number ORDER BY h.number
SELECT quantiles(0.5, 0.9)(value), quantile(value), median(value), quantileExact(0.99)(value) FROM readings
SELECT quantiles(value) FROM readings
SELECT windowFunnel(3600)(taken, value > 1, value > 2, value > 3) AS level, count() FROM readings GROUP BY level
SELECT level, count() AS c FROM (SELECT sensor, windowFunnel(86400, 'strict_order')(taken, state = 'ok', state = 'bad') AS level FROM readings GROUP BY sensor) GROUP BY level ORDER BY level
SELECT retention(toDate(taken) = '2024-01-01', toDate(taken) = '2024-01-02') AS r FROM readings GROUP BY sensor
SELECT sequenceMatch('(?1)(?t<=60)(?2)')(taken, value > 1, value < 0) FROM readings GROUP BY sensor
SELECT sequenceCount(taken, value > 1, value < 0) FROM readings
SELECT topK(5)(sensor), topKWeighted(3)(sensor, toUInt32(value)), groupUniqArray(10)(sensor) FROM readings
SELECT histogram(5)(value) AS h, arrayJoin(h) FROM readings
SELECT histogram(value) FROM readings
SELECT sumMap(labels) FROM readings
SELECT sumMap(map('a', 1, 'b', 2)), maxMap(map(sensor, value)) FROM readings
SELECT groupArray((taken, value)) AS pairs, arraySort(x -> x.1, pairs)[1].2 AS first FROM readings GROUP BY sensor
SELECT groupArrayMovingAvg(3)(value), groupArrayMovingSum(value) FROM readings
SELECT argMax(state, taken) AS last, argMin(value, taken), anyLast(note), any(tags) FROM readings GROUP BY sensor
SELECT argMax((state, value), taken).1 AS last FROM readings
SELECT sensor, groupBitAnd(battery), groupBitOr(toUInt8(value > 1)) FROM readings GROUP BY sensor
SELECT uniq(sensor), uniqExact(sensor, state), uniqCombined(12)(trace), uniqHLL12(host), uniqTheta(trace) FROM readings
SELECT uniqMerge(people), sumMerge(sums), max(peak), finalizeAggregation(sums) FROM totals GROUP BY sensor, sums
SELECT sum(sums) FROM totals
SELECT sumMerge(peak) FROM totals
SELECT quantilesTDigestIf(0.5, 0.95)(value, battery > 20), avgIf(value, isNotNull(note)), countIf(state = 'ok' OR state = 'bad') FROM readings
SELECT countIf(value) FROM readings
SELECT sumIf(value, battery) FROM readings
SELECT avgOrNull(value), sumOrDefault(value), minOrNullIf(value, value > 1) FROM readings
SELECT sumArray(levels), avgArray(levels), uniqArray(tags), sumForEach(levels) FROM readings
SELECT sumArray(value) FROM readings
SELECT dateDiff('day', min(taken), max(taken)) AS span, date_diff('hour', min(taken), now()) FROM readings
SELECT dateDiff(day, taken, now()) FROM readings
SELECT DATEDIFF('day', taken, now()), dateAdd(DAY, 1, taken), dateSub(HOUR, 2, taken), addMonths(taken, 1), subtractDays(day, 3) FROM readings
SELECT date_trunc('month', taken), dateTrunc('week', day), toStartOfInterval(taken, INTERVAL 5 MINUTE), toStartOfWeek(taken, 1), toMonday(day) FROM readings
SELECT date_trunc('fortnight', taken) FROM readings
SELECT toYYYYMM(taken) AS ym, formatDateTime(taken, '%Y-%m-%d %H:00') AS h, toUnixTimestamp(taken), fromUnixTimestamp(1700000000), toDayOfWeek(day), toISOWeek(day) FROM readings
SELECT parseDateTimeBestEffort('2024-01-01 10:00'), toDateTime64('2024-01-01 10:00:00.123', 3), toDateTimeOrNull(note), toDateOrZero(note) FROM readings
SELECT toDate('not a date') FROM readings
SELECT taken + INTERVAL 1 DAY, taken - INTERVAL '2' HOUR, now() - toIntervalMinute(5), day + 1, taken + 60 FROM readings
SELECT taken - day FROM readings
SELECT taken + taken FROM readings
SELECT EXTRACT(YEAR FROM taken), EXTRACT(dow FROM taken), toHour(taken), HOUR(taken), YEAR(day), MONTH(day) FROM readings
SELECT count() FROM readings WHERE taken BETWEEN '2024-01-01' AND '2024-02-01' AND day >= today() - 7 AND toYear(day) = 2024
SELECT count() FROM readings WHERE taken > 'yesterday'
SELECT count() FROM readings WHERE value > '1.5' AND battery = '20'
SELECT count() FROM readings WHERE value = 'high'
SELECT count() FROM readings WHERE state = 'ok' AND state != 'bad' AND state IN ('ok', 'bad')
SELECT count() FROM readings WHERE state = 'missing'
SELECT count() FROM readings WHERE host = '127.0.0.1' AND trace = '61f0c404-5cb3-11e7-907b-a6006ad3dba0'
SELECT count() FROM readings WHERE sensor ILIKE '%kitchen%' AND note NOT LIKE 'a%' AND match(sensor, '^k') AND sensor REGEXP 'x$'
SELECT count() FROM readings WHERE value LIKE '1%'
SELECT count() FROM readings WHERE has(tags, 'hot') AND hasAny(tags, ['a', 'b']) AND hasAll(tags, ['a']) AND notEmpty(tags) AND length(tags) > 2 AND tags[1] = 'a'
SELECT count() FROM readings WHERE 'hot' IN tags
SELECT count() FROM readings WHERE has(tags, 1)
SELECT count() FROM readings WHERE labels['room'] = 'kitchen' AND mapContains(labels, 'floor') AND labels.room = 'x'
SELECT count() FROM readings WHERE labels[1] = 'kitchen'
SELECT bag.name, bag.size::Int64, JSONExtractString(note, 'a'), JSONExtractInt(note, 'b', 'c'), JSONHas(note, 'd'), JSON_VALUE(note, '$.a'), simpleJSONExtractInt(note, 'q') FROM readings
SELECT JSONExtract(note, 'a', 'Array(String)'), JSONExtract(note, 'b', 'Nullable(Float64)'), JSONExtractArrayRaw(note, 'c'), JSONExtractKeysAndValues(note, 'Int64') FROM readings
SELECT JSONExtract(note, 'a', 'Strin') FROM readings
SELECT note->>'a' FROM readings
SELECT note::json->'a' FROM readings
SELECT arrayJoin(splitByChar(',', assumeNotNull(note))) AS word, count() FROM readings GROUP BY word ORDER BY count() DESC
SELECT splitByString(', ', note), splitByRegexp('\\s+', note), arrayStringConcat(tags, '-'), extractAll(note, '\\d+'), replaceRegexpAll(note, 'a(.)', '\\1'), replaceAll(note, 'a', 'b') FROM readings
SELECT substring(sensor, 1, 3), left(sensor, 2), right(sensor, 2), lower(sensor), upperUTF8(sensor), trim(sensor), trimLeft(sensor), position(sensor, 'a'), locate('a', sensor), concat(sensor, '-', toString(value)), sensor || '!' FROM readings
SELECT substring(value, 1, 3) FROM readings
SELECT concat(sensor, value, day), concat_ws(',', sensor, 'a'), format('{} {}', sensor, state), printf('%d', battery) FROM readings
SELECT leftPad(sensor, 10, ' '), rpad(sensor, 5), repeat(sensor, 2), reverse(sensor), startsWith(sensor, 'a'), endsWith(sensor, 'b'), empty(sensor), lengthUTF8(sensor), cutToFirstSignificantSubdomain(sensor), domain(note), path(note), cityHash64(sensor) FROM readings
SELECT initcap(sensor), soundex(sensor), levenshteinDistance(sensor, 'abc'), countSubstrings(sensor, 'a'), base64Encode(sensor), hex(value), MD5(sensor), sipHash64(sensor, day) FROM readings
SELECT STRING_AGG(sensor, ',') FROM readings
SELECT groupConcat(sensor), groupConcat(',')(sensor), arrayStringConcat(groupArray(sensor), ',') FROM readings
SELECT GROUP_CONCAT(sensor SEPARATOR ',') FROM readings
SELECT ARRAY_AGG(sensor), LISTAGG(sensor) FROM readings
SELECT if(value > 1, 'high', 'low') AS band, multiIf(value > 10, 'a', value > 5, 'b', 'c'), CASE WHEN value > 1 THEN 'x' ELSE 'y' END, CASE state WHEN 'ok' THEN 1 ELSE 0 END FROM readings
SELECT if(value > 1, 'high', 0) FROM readings
SELECT if(value > 1, 'high') FROM readings
SELECT iif(value > 1, 'a', 'b') FROM readings
SELECT coalesce(note, 'none'), ifNull(battery, 0), nullIf(sensor, ''), isNull(note), note IS NULL, assumeNotNull(battery) + 1, toNullable(value) FROM readings
SELECT isnull(note, 'none') FROM readings
SELECT nvl(note, 'none'), COALESCE(note, battery) FROM readings
SELECT round(value, 2), floor(value), ceil(value, 1), trunc(value), abs(value), sqrt(value), pow(value, 2), power(value, 2), exp(value), log(value), log2(value), log10(value), sign(value), greatest(value, 1), least(value, battery), intDiv(battery, 2), value % 2, modulo(battery, 3), -value FROM readings
SELECT log(2, value) FROM readings
SELECT round(sensor, 2) FROM readings
SELECT value / 0, intDiv(10, 3), divide(value, 2), plus(value, 1), bitAnd(battery, 3), battery DIV 2, rand(), randUniform(0, 1), generateUUIDv4() FROM readings
SELECT toInt32(sensor), toFloat64OrNull(note), toDecimal64(value, 2), CAST(value AS Int32), CAST(sensor AS Nullable(Int32)), value::String, toString(day), toUInt8OrZero(note), CAST(battery, 'UInt16') FROM readings
SELECT CAST(value AS INTEGER), CAST(value AS VARCHAR(10)), CAST(value AS NUMERIC(10, 2)), CAST(sensor AS TEXT), CAST(taken AS TIMESTAMP), CAST(value AS DOUBLE PRECISION), CAST(value AS BOOLEAN) FROM readings
SELECT CAST(value AS NUMBER) FROM readings
SELECT row_number() OVER (PARTITION BY sensor ORDER BY taken DESC) AS rn, rank() OVER (ORDER BY value), dense_rank() OVER w, first_value(value) OVER w, last_value(value) OVER w, ntile(4) OVER (ORDER BY value), percent_rank() OVER (ORDER BY value) FROM readings WINDOW w AS (PARTITION BY sensor ORDER BY taken)
SELECT lag(value) OVER (PARTITION BY sensor ORDER BY taken), lead(value, 1, 0) OVER (ORDER BY taken), nth_value(value, 2) OVER (ORDER BY taken), sum(value) OVER (ORDER BY taken ROWS UNBOUNDED PRECEDING), count() OVER () FROM readings
SELECT sensor, value FROM readings QUALIFY row_number() OVER (PARTITION BY sensor ORDER BY taken DESC) = 1
SELECT sensor, row_number() OVER (ORDER BY taken) AS rn FROM readings WHERE rn = 1
SELECT * FROM (SELECT sensor, row_number() OVER (PARTITION BY sensor ORDER BY taken DESC) AS rn FROM readings) WHERE rn = 1
SELECT sum(value) OVER (ORDER BY taken RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) FROM readings
SELECT sum(value) OVER (ORDER BY taken RANGE BETWEEN 3600 PRECEDING AND CURRENT ROW) FROM readings
SELECT sensor, max(count()) FROM readings GROUP BY sensor
SELECT sensor, count() / sum(count()) OVER () AS share FROM readings GROUP BY sensor
SELECT sensor, value FROM readings GROUP BY sensor
SELECT sensor, toDate(taken), count() FROM readings GROUP BY sensor, toDate(taken) ORDER BY taken
SELECT sensor, count() FROM readings GROUP BY ALL ORDER BY ALL
SELECT sensor, state, count() FROM readings GROUP BY GROUPING SETS ((sensor), (state), ())
SELECT sensor, state, grouping(sensor), count() FROM readings GROUP BY CUBE(sensor, state)
SELECT sensor, count() FROM readings GROUP BY 1 ORDER BY 2 DESC LIMIT 3 BY sensor LIMIT 10 OFFSET 5
SELECT sensor, taken, value FROM readings ORDER BY taken DESC LIMIT 1 BY sensor
SELECT DISTINCT ON (sensor) sensor, taken FROM readings ORDER BY taken DESC
SELECT sensor FROM readings ORDER BY taken WITH FILL FROM now() TO now() + 60 STEP 5
SELECT toDate(taken) AS d, count() AS c FROM readings GROUP BY d ORDER BY d WITH FILL STEP INTERVAL 1 DAY INTERPOLATE (c AS c + 1)
SELECT sensor FROM readings LIMIT 5 OFFSET 2 ROWS
SELECT TOP 5 sensor FROM readings
SELECT sensor FROM readings ORDER BY value FETCH FIRST 5 ROWS ONLY
SELECT r.sensor, q.mean FROM readings r ASOF JOIN (SELECT sensor, max(taken) AS t, avg(value) AS mean FROM readings GROUP BY sensor) q ON r.sensor = q.sensor AND r.taken >= q.t
SELECT r.sensor FROM readings r GLOBAL ANY LEFT JOIN totals t ON r.sensor = t.sensor WHERE t.peak > 1
SELECT full_name FROM doctors d SEMI LEFT JOIN visits v ON v.doctor_id = d.id
SELECT full_name FROM doctors WHERE id IN (SELECT doctor_id FROM visits WHERE cost > 10) AND ward_id GLOBAL IN (SELECT id FROM wards)
SELECT full_name FROM doctors d WHERE EXISTS (SELECT 1 FROM visits v WHERE v.doctor_id = d.id)
SELECT full_name, (SELECT count() FROM visits v WHERE v.doctor_id = d.id) AS n FROM doctors d
SELECT full_name, (SELECT count() FROM visits) AS n, (SELECT max(cost) FROM visits) AS top FROM doctors
SELECT full_name FROM doctors UNION ALL SELECT title FROM wards
SELECT full_name FROM doctors UNION SELECT title FROM wards
SELECT id FROM doctors EXCEPT SELECT doctor_id FROM visits
SELECT full_name, salary FROM doctors UNION ALL SELECT title FROM wards
SELECT steps.title, steps.seconds, arraySum(steps.seconds), arrayCount(x -> x > 10, steps.seconds) FROM readings
SELECT s.title, s.seconds FROM readings ARRAY JOIN steps AS s WHERE s.seconds > 10
SELECT title FROM readings ARRAY JOIN steps.title AS title, steps.seconds AS secs WHERE secs > 10
SELECT arrayMap((t, s) -> concat(t, toString(s)), steps.title, steps.seconds), arrayZip(tags, levels), arrayReduce('max', levels), arrayEnumerate(tags), arrayDistinct(tags), arraySlice(tags, 1, 2), arrayConcat(tags, ['x']), arrayUniq(tags) FROM readings
SELECT arrayFilter(x -> x > 1 AND x < 5, levels), arrayExists(x -> x = 'a', tags), arrayFirst(x -> x > 1, levels), arrayReverseSort(levels), arrayMap(x -> x.title, steps) FROM readings
SELECT unnest(tags) FROM readings
SELECT sensor, tag FROM readings, unnest(tags) AS tag
SELECT sensor, tag FROM readings CROSS JOIN UNNEST(tags) AS t(tag)
SELECT tupleElement(place, 'lat'), place.lon, geoDistance(place.lon, place.lat, 0, 0), greatCircleDistance(1, 2, 3, 4), dictGet('cities', 'name', toUInt64(1)) FROM readings
SELECT place.height FROM readings
SELECT readings.sensor, r.value FROM readings AS r
SELECT sensr FROM readings
SELECT r.sensor FROM readings r JOIN totals t ON r.sensor = t.sensor WHERE peak > 1 AND day = today()
SELECT r.sensor, day FROM readings r JOIN totals t ON r.sensor = t.sensor JOIN wards w ON w.id = t.peak
SELECT sensor, sum(value) AS total, total / count() AS mean, mean * 2 AS twice FROM readings GROUP BY sensor HAVING twice > 3
WITH toDate(taken) AS d, value * 2 AS twice SELECT d, sum(twice) FROM readings GROUP BY d
WITH (SELECT avg(value) FROM readings) AS mean SELECT sensor FROM readings WHERE value > mean
WITH RECURSIVE chain AS (SELECT id, boss_id, 1 AS depth FROM doctors WHERE boss_id = 0 UNION ALL SELECT d.id, d.boss_id, c.depth + 1 FROM doctors d JOIN chain c ON d.boss_id = c.id) SELECT id, depth FROM chain
SELECT toStartOfMonth(started) AS m, sum(cost) AS s, sum(s) OVER (ORDER BY m) AS running, s / lagInFrame(s) OVER (ORDER BY m) - 1 AS growth FROM visits GROUP BY m ORDER BY m
SELECT countDistinct(sensor), COUNT(DISTINCT sensor, state), sum(DISTINCT value), approx_count_distinct(sensor) FROM readings
SELECT stddevPop(value), varSamp(value), corr(value, battery), covarPop(value, battery), skewPop(value), STDDEV(value), VARIANCE(value), entropy(sensor) FROM readings
SELECT deltaSum(value), boundingRatio(value, value), simpleLinearRegression(value, battery), kurtSamp(value), exponentialMovingAverage(5)(value, taken) FROM readings
SELECT bar(value, 0, 100, 20), formatReadableSize(1024), formatReadableTimeDelta(100), transform(sensor, ['a', 'b'], ['x', 'y'], 'z'), toTypeName(value), materialize(1), version() FROM readings
SELECT neighbor(value, 1), runningDifference(value) FROM readings
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY value) FROM readings
SELECT sensor, value FROM readings SAMPLE 0.1 WHERE value > 1
SELECT sensor FROM totals FINAL WHERE peak > 1
SELECT sensor FROM readings PREWHERE value > 1 WHERE battery > 2 SETTINGS max_threads = 4 FORMAT JSONEachRow
SELECT COLUMNS('^s') APPLY toString, * EXCEPT (tags), * REPLACE (value * 2 AS value) FROM readings
SELECT n, v FROM (SELECT 1 AS n) JOIN (SELECT 1 AS v) ON n = v SETTINGS joined_subquery_requires_alias = 0
SELECT r.sensor FROM readings r INNER LEFT JOIN totals t ON r.sensor = t.sensor
SELECT r.sensor FROM readings r CROSS JOIN totals t USING (sensor)
SELECT r.sensor FROM readings r ANY FULL JOIN totals t ON r.sensor = t.sensor
SELECT sensor, a FROM readings ARRAY JOIN levels AS a, tags AS sensor
SELECT count() FROM readings WHERE sensor IN tags AND value IN levels
WITH ['a', 'b'] AS names SELECT count() FROM readings WHERE sensor IN names
SELECT count() FROM doctors WHERE ward_id IN (wards)
SELECT arrayMap(x -> x > 1 ? 'high' : 'low', levels), 7.5 MOD 2, battery MOD 3 FROM readings
SELECT any(note) RESPECT NULLS, anyLast(battery) IGNORE NULLS FROM readings
SELECT tupleElement(place, 1), tupleElement(place, 'lon') FROM readings
SELECT * FROM doctors INNER JOIN wards USING (id) GROUP BY id, full_name, ward_id, salary, hired, boss_id, title, beds
-- Of an analyst of a shop
SELECT toStartOfWeek(at) AS week, uniq(user) AS users, count() AS views FROM hits GROUP BY week ORDER BY week
SELECT domain(url) AS site, count() AS c FROM hits WHERE at BETWEEN '2024-01-01 00:00:00' AND '2024-02-01 00:00:00' GROUP BY site ORDER BY c DESC LIMIT 5 WITH TIES
SELECT user, groupArray(url) AS path, windowFunnel(3600)(at, url = '/a', url = '/b', url = '/c') AS level FROM hits GROUP BY user
SELECT country, device, round(avg(ms), 2) AS mean, quantileTDigest(0.99)(ms) AS p99 FROM hits GROUP BY country, device HAVING mean > 100
SELECT params['utm_source'] AS source, count() FROM hits WHERE mapContains(params, 'utm_source') GROUP BY source
SELECT mapFilter((k, v) -> v != '', params) AS filled, length(mapKeys(params)) AS n FROM hits
SELECT mapApply((k, v) -> (upper(k), lower(v)), params) FROM hits
SELECT utm.source, utm.medium, count() FROM hits GROUP BY utm.source, utm.medium
SELECT utm.campaign FROM hits
SELECT arrayStringConcat(topics, ',') AS t, arraySort(x -> length(x), topics) FROM hits
SELECT user, at, ms, lagInFrame(at) OVER (PARTITION BY user ORDER BY at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS prev, dateDiff('second', prev, at) AS gap FROM hits
SELECT user, sum(ms) OVER w AS running, row_number() OVER w AS rn FROM hits WINDOW w AS (PARTITION BY user ORDER BY at)
SELECT * FROM (SELECT user, url, rank() OVER (PARTITION BY country ORDER BY ms DESC) AS r FROM hits) WHERE r <= 3
SELECT user, url FROM hits QUALIFY row_number() OVER (PARTITION BY user ORDER BY at DESC) = 1
SELECT p.name, h.url FROM hits AS h INNER JOIN people AS p USING (user) WHERE p.plan = 'pro'
SELECT p.name, count(h.url) FROM people p LEFT JOIN hits h ON h.user = p.user AND h.is_bot = false GROUP BY p.name
SELECT s.id, i.sku, i.qty * i.price AS line FROM sales AS s ARRAY JOIN items AS i
SELECT items.sku AS sku, sum(items.qty) AS sold FROM sales ARRAY JOIN items GROUP BY sku ORDER BY sold DESC
SELECT sumArray(items.qty), avgArray(items.price) FROM sales
SELECT arraySum(arrayMap((q, p) -> q * p, items.qty, items.price)) AS basket FROM sales
SELECT arrayMap((q, p) -> q * p, items.qty) FROM sales
SELECT toYYYYMM(ordered) AS m, sum(total) AS revenue, revenue - lagInFrame(revenue) OVER (ORDER BY m) AS delta FROM sales GROUP BY m
SELECT customer, sum(total) AS t FROM sales WHERE status = 'paid' GROUP BY customer ORDER BY t DESC LIMIT 10
SELECT customer FROM sales WHERE status = 'lost'
SELECT status, count() FROM sales WHERE status IN ('new', 'paid') GROUP BY status
SELECT info.city, info.zip::String AS zip FROM sales
SELECT info.address.street, JSONExtractString(toString(info), 'a') FROM sales
SELECT JSONExtractInt(body, 'n') + 1, JSONHas(body, 'a', 'b'), JSONExtract(body, 'tags', 'Array(String)'), JSONLength(body) FROM hits
SELECT simpleJSONExtractString(body, 'a'), visitParamExtractInt(body, 'b'), JSON_VALUE(body, '$.a'), isValidJSON(body) FROM hits
SELECT coalesce(email, name), ifNull(manager, 0), nullIf(plan, 'free'), assumeNotNull(email) FROM people
SELECT avg(arrayJoin(scores)) FROM people
SELECT arrayAvg(scores), arrayMax(scores), arrayFilter(x -> isNotNull(x), scores) FROM people
SELECT limits['max'] + limits['min'], mapSum(limits), maxMap(limits) FROM people
SELECT arraySum(mapValues(limits)), mapAdd(limits, map('a', toUInt32(1))) FROM people
SELECT age('year', born, today()), toYear(born), born + INTERVAL 1 YEAR, addMonths(joined, 3) FROM people
SELECT formatDateTime(at, '%Y-%m-%d'), toDate(at), toStartOfFifteenMinutes(at), toHour(at), toDayOfWeek(at), monthName(at) FROM hits
SELECT date_trunc('month', ordered) AS m, count() FROM sales GROUP BY 1 ORDER BY 1
SELECT date_trunc('fortnight', ordered) FROM sales
SELECT toStartOfInterval(at, INTERVAL 5 MINUTE) AS t, max(ms) FROM hits GROUP BY t ORDER BY t WITH FILL STEP INTERVAL 5 MINUTE
SELECT ordered, sum(total) FROM sales GROUP BY ordered ORDER BY ordered WITH FILL FROM toDate('2024-01-01') TO toDate('2024-02-01') STEP 1
SELECT retention(toDate(at) = '2024-01-01', toDate(at) = '2024-01-02') AS r FROM hits GROUP BY user
SELECT sequenceMatch('(?1)(?2)')(at, url = '/a', url = '/b') FROM hits GROUP BY user
SELECT topK(5)(url), topKWeighted(3)(url, ms) FROM hits
SELECT quantilesExact(0.5, 0.9)(ms), median(ms), quantileExactWeighted(0.5)(ms, version) FROM hits
SELECT uniqCombined(17)(user), uniqHLL12(user), uniqTheta(user), uniqUpTo(5)(user) FROM hits
SELECT sumIf(total, status = 'paid') / sum(total) AS share, countIf(coupon IS NOT NULL) FROM sales
SELECT argMin(url, at), argMax((url, ms), at), anyLast(url), any(referrer) FROM hits GROUP BY session
SELECT if(ms > 1000, 'slow', 'fast') AS speed, multiIf(ms < 10, 1, ms < 100, 2, 3) AS class, count() FROM hits GROUP BY speed, class
SELECT CASE device WHEN 'phone' THEN 'mobile' WHEN 'tablet' THEN 'mobile' ELSE 'desk' END AS kind, count() FROM hits GROUP BY kind
SELECT splitByChar('/', path(url)) AS parts, parts[2] AS section, count() FROM hits GROUP BY parts
SELECT extractURLParameter(url, 'q'), cutQueryString(url), protocol(url), topLevelDomain(url), decodeURLComponent(url) FROM hits
SELECT extractAll(url, '\\d+'), match(url, '^/a'), replaceRegexpAll(url, '[0-9]', ''), countSubstrings(url, '/'), position(url, '?') FROM hits
SELECT multiSearchAny(url, ['a', 'b']), hasToken(body, 'error'), startsWith(url, 'https'), url ILIKE '%shop%', like(url, '%x%') FROM hits
SELECT IPv6NumToString(client), toIPv4('127.0.0.1'), isIPAddressInRange(toString(client), '10.0.0.0/8') FROM hits
SELECT cityHash64(user, url) % 10 AS bucket, sipHash64(session), MD5(url), hex(MD5(url)), xxHash32(url) FROM hits
SELECT geoDistance(route[1].lon, route[1].lat, route[2].lon, route[2].lat), length(route), route.lat FROM hits
SELECT arrayMap(p -> p.lat, route), arrayZip(route.lat, route.lon), arrayMap(p -> p.alt, route) FROM hits
SELECT tupleElement(utm, 'source'), utm.1, tuple(user, url).2, (user, url) AS pair, untuple(utm) FROM hits
SELECT * FROM sales FINAL WHERE ordered > '2024-01-01'
SELECT * FROM hits FINAL
SELECT id, total FROM sales ORDER BY total DESC LIMIT 3 BY customer
SELECT total FROM sales WHERE id = '61f0c404-5cb3-11e7-907b-a6006ad3dba0'
SELECT total FROM sales WHERE id = 'not-an-id'
SELECT total FROM sales WHERE ordered = 'yesterday'
SELECT total FROM sales WHERE ordered > now() - INTERVAL 30 DAY AND ordered < today() + 1
SELECT total FROM sales WHERE total > '100'
SELECT total FROM sales WHERE currency = 'EUR' AND discount > 0.1
SELECT total + currency FROM sales
SELECT total - discount, total * 1.2, total / 3, intDiv(total, 2), discount % 2 FROM sales
SELECT sum(currency) FROM sales
SELECT avg(status) FROM sales
SELECT max(items.qty), min(qtys), sum(qtys) FROM sales
SELECT sumForEach(qtys), groupArrayArray(qtys), arrayCumSum(qtys), arrayDifference(qtys), arrayReduce('avg', qtys) FROM sales
SELECT has(qtys, 3), hasAny(qtys, [1, 2]), indexOf(qtys, 2), qtys[1], qtys[-1], arrayElement(qtys, 1), arraySlice(qtys, 2) FROM sales
SELECT has(qtys, 'x') FROM sales
SELECT upper(user) FROM hits
SELECT length(ms) FROM hits
SELECT toDate(ms), toDateTime(user), toString(device), toInt32(url), toFloat64OrNull(url), toUInt8OrZero(session) FROM hits
SELECT substring(url, 1, 10), left(url, 3), lpad(url, 10, '*'), concat(url, session, country), concat(url, ms), url || country, reverse(url), trim(BOTH '/' FROM url) FROM hits
SELECT url + 1 FROM hits
SELECT user, url, count() FROM hits GROUP BY user
SELECT user, at FROM hits GROUP BY user HAVING count() > 1
SELECT country, count() AS c FROM hits WHERE c > 5 GROUP BY country
SELECT user FROM hits WHERE count() > 3
SELECT country, sum(max(ms)) FROM hits GROUP BY country
SELECT h.user, user FROM hits h JOIN people p ON h.user = p.user
SELECT name, url FROM hits h JOIN people p ON h.user = p.user WHERE joined > at
SELECT h.nme FROM hits h
SELECT x.url FROM hits h
SELECT url FROM hit
SELECT urls FROM hits
SELECT analytics.hits.url FROM analytics.hits
SELECT STRING_AGG(url, ',') FROM hits
SELECT LISTAGG(url, ',') FROM hits
SELECT DATEADD(day, 1, at), DATE_ADD(DAY, 1, at), TIMESTAMPDIFF(MINUTE, at, now()), at + toIntervalDay(1) FROM hits
SELECT TO_CHAR(at, 'YYYY-MM') FROM hits
SELECT EXTRACT(YEAR FROM at), EXTRACT(DOW FROM at) FROM hits
SELECT strftime('%Y', at) FROM hits
SELECT JULIANDAY(at) FROM hits
SELECT uniqExactIf(user, is_bot), uniqIf(user, country = 'DE'), quantileIf(0.9)(ms, is_bot) FROM hits
SELECT uniqIf(user) FROM hits
SELECT quantile(ms, 0.9) FROM hits
SELECT quantile(2)(ms) FROM hits
SELECT substring(url) FROM hits
SELECT splitByChar(url) FROM hits
SELECT toStartOfInterval(at) FROM hits
SELECT dateDiff(at, now()) FROM hits
SELECT dateDiff('day', url, at) FROM hits
SELECT now(1, 2, 3), today(1) FROM hits
SELECT round(url), floor(url), abs(url) FROM hits
SELECT greatest(ms, user), least(at, now()), greatest(url, ms) FROM hits
SELECT if(is_bot, url, ms) FROM hits
SELECT if(url, 1, 2) FROM hits
SELECT url FROM hits WHERE url
SELECT url FROM hits WHERE ms
SELECT url FROM hits WHERE NOT is_bot AND version
SELECT user FROM hits UNION ALL SELECT name FROM people
SELECT user FROM hits UNION DISTINCT SELECT user FROM people
SELECT user, name FROM people UNION ALL SELECT user FROM hits
SELECT user FROM hits EXCEPT SELECT user FROM people
SELECT user FROM hits INTERSECT SELECT customer FROM sales
SELECT user FROM people WHERE user IN (SELECT customer FROM sales WHERE total > 100)
SELECT user FROM people WHERE user IN (SELECT customer, total FROM sales)
SELECT user FROM people WHERE name IN (SELECT customer FROM sales)
SELECT user FROM people p WHERE EXISTS (SELECT 1 FROM sales s WHERE s.customer = p.user)
SELECT name, (SELECT max(total) FROM sales) AS top FROM people
SELECT name, (SELECT sum(total) FROM sales WHERE customer = people.user) AS spent FROM people
WITH active AS (SELECT user, count() AS c FROM hits GROUP BY user) SELECT plan, avg(c) FROM active JOIN people USING user GROUP BY plan
WITH active AS (SELECT user, count() AS c FROM hits GROUP BY user) SELECT visits FROM active
WITH toStartOfMonth(ordered) AS m SELECT m, uniq(customer) FROM sales GROUP BY m ORDER BY m
SELECT a.customer, b.customer FROM sales a JOIN sales b ON a.ordered = b.ordered AND a.customer < b.customer
SELECT h.user, s.total FROM hits h ASOF LEFT JOIN sales s ON h.user = s.customer AND h.at >= s.paid_at
SELECT h.user, s.total FROM hits h ASOF LEFT JOIN sales s ON h.user = s.customer
SELECT topic, count() FROM hits ARRAY JOIN topics AS topic GROUP BY topic
SELECT topic FROM hits ARRAY JOIN url AS topic
SELECT k, v FROM hits ARRAY JOIN mapKeys(params) AS k, mapValues(params) AS v
SELECT number, number * 2 FROM numbers(10) WHERE number % 2
SELECT toDate('2024-01-01') + number AS d, s.total FROM numbers(31) AS n LEFT JOIN sales s ON s.ordered = toDate('2024-01-01') + n.number
SELECT d, sum(total) FROM sales RIGHT JOIN (SELECT toDate('2024-01-01') + number AS d FROM numbers(31)) AS c ON sales.ordered = c.d GROUP BY d
SELECT bitmapCardinality(groupBitmapState(user)), groupBitmap(version), groupBitmapAnd(user) FROM hits
SELECT runningAccumulate(uniqState(user)), finalizeAggregation(sumState(ms)) FROM hits GROUP BY country
SELECT uniqMerge(u) FROM (SELECT uniqState(user) AS u FROM hits GROUP BY country)
SELECT sumMerge(u) FROM (SELECT uniqState(user) AS u FROM hits GROUP BY country)
SELECT first_value(url) OVER (PARTITION BY user ORDER BY at), nth_value(url, 2) OVER (PARTITION BY user ORDER BY at), ntile(4) OVER (ORDER BY ms), percent_rank() OVER (ORDER BY ms) FROM hits
SELECT avg(ms) OVER (PARTITION BY country ORDER BY toDate(at) RANGE BETWEEN 6 PRECEDING AND CURRENT ROW) FROM hits
SELECT row_number() FROM hits
SELECT lag(ms) FROM hits
SELECT exponentialTimeDecayedAvg(60)(ms, at) OVER (ORDER BY at) FROM hits
SELECT simpleLinearRegression(ms, version), corr(ms, version), stddevSamp(ms), varPop(ms), covarSamp(ms, user) FROM hits
SELECT corr(ms), covarPop(url, ms) FROM hits
SELECT levenshteinDistance(url, session), editDistance(url, session), ngramDistance(url, session), soundex(name) FROM hits, people
SELECT toDecimal64(total, 2), toDecimal32('1.5', 3), CAST(total AS Float64), total::Int64, CAST(ordered, 'DateTime') FROM sales
SELECT CAST(total AS Money) FROM sales
SELECT toDecimal64(total) FROM sales
SELECT reinterpretAsUInt64(session), bitAnd(user, 7), bitShiftLeft(version, 2), bitCount(user), user & 1 FROM hits
SELECT arrayJoin([1, 2, 3]) AS n, range(5), arrayEnumerate(topics), arrayWithConstant(3, 'x'), emptyArrayString() FROM hits
SELECT range('a') FROM hits
SELECT arrayFilter(topics, x -> x != '') FROM hits
SELECT arrayExists((x, y) -> x > y, qtys, qtys), arrayAll(x -> x > 0, qtys), arrayCount(x -> x = 1, qtys), arrayFirstIndex(x -> x > 2, qtys) FROM sales
SELECT arrayReduce('nope', qtys) FROM sales
SELECT arraySort((x, y) -> y, qtys, items.qty), arrayPartialSort(2, qtys), arrayShuffle(qtys), arrayRotateLeft(qtys, 1), arrayResize(qtys, 5, 0) FROM sales
SELECT arrayConcat(qtys, items.sku) FROM sales
SELECT arrayIntersect(qtys, [1, 2]), arrayFlatten([[1], [2]]), arrayCompact(qtys), arrayPushBack(qtys, 4), arrayPopFront(qtys), arrayUniq(qtys), arrayProduct(qtys) FROM sales
SELECT arrayPushBack(qtys, 'x') FROM sales
SELECT generateUUIDv4(), rand() % 100, randUniform(1, 2), randomString(10), now64(3), toUnixTimestamp(at), fromUnixTimestamp(1700000000) FROM hits
SELECT generateUUIDv9() FROM hits
SELECT toUnixTimestamp(url), toUnixTimestamp(ms), parseDateTimeBestEffort(url), parseDateTime(url, '%Y-%m-%d'), toDateTime64(at, 3) FROM hits
SELECT toTimeZone(at, 'Europe/Berlin'), timezone(), toDateTime(at, 'UTC'), toTimeZone(ordered, 'UTC') FROM hits, sales
SELECT subtractDays(at, 7), date_sub(DAY, 7, at), addHours(ordered, 2), ordered - 7, ordered - ordered AS n, at - at FROM hits, sales
SELECT at + at FROM hits
SELECT ordered + ordered FROM sales
SELECT toLastDayOfMonth(ordered), toISOWeek(ordered), toRelativeDayNum(ordered), toMonday(at), makeDate(2024, 1, 2), toYearWeek(ordered) FROM hits, sales
SELECT count(DISTINCT customer, status), uniq(customer, status), count(*) FILTER (WHERE total > 5) FROM sales
SELECT customer, groupArray(3)(total), groupUniqArray(status), groupConcat(',')(status), groupArrayMovingAvg(3)(total) FROM sales GROUP BY customer
SELECT customer, status, sum(total), grouping(customer) FROM sales GROUP BY ROLLUP(customer, status)
SELECT sum(total) FROM sales GROUP BY ALL
SELECT status, customer, sum(total) FROM sales GROUP BY ALL ORDER BY ALL
SELECT DISTINCT ON (customer) customer, total FROM sales ORDER BY customer, ordered DESC
SELECT id FROM sales ORDER BY totl
SELECT count() AS c FROM sales HAVING c > 1
SELECT customer AS c FROM sales GROUP BY c ORDER BY total
SELECT * EXCEPT (id) REPLACE (total / 2 AS total) FROM sales
SELECT * EXCEPT (ghost) FROM sales
SELECT COLUMNS('qty') FROM sales
SELECT COLUMNS('nothing') FROM sales
SELECT mapFromArrays(['a'], [1]), map('a', 1, 'b', 2)['a'], map('a'), mapUpdate(params, map('x', 'y')) FROM hits
SELECT CAST(params, 'Map(String, Int32)'), params.keys, params.values FROM hits
SELECT params.source FROM hits
SELECT transform(plan, ['a', 'b'], [1, 2], 0), dictGetOrDefault('d', 'v', user, ''), empty(plan), notEmpty(email), isNull(email), plan ~ 'x' FROM people
SELECT toStartOfMonth(plan) FROM people
SELECT bar(count(), 0, 100) FROM hits
SELECT formatReadableQuantity(sum(ms)), formatReadableSize(url) FROM hits
SELECT CAST([(1, 'a')] AS Array(Tuple(n UInt8, s String)))
SELECT (ms, url)::Tuple(UInt64, Tuple(String)) FROM hits
WITH toDate(at) AS day, busy AS (SELECT user FROM hits WHERE day = today()) SELECT count() FROM busy
WITH toDate(at) AS day, busy AS (SELECT user FROM people WHERE day = today()) SELECT count() FROM busy
WITH nosuch + 1 AS unused SELECT count() FROM hits
WITH nosuch + 1 AS used SELECT used FROM hits
WITH country AS c SELECT c, count() FROM hits GROUP BY c
WITH country AS c SELECT country, device, count() FROM hits GROUP BY c
WITH '2024-01-01 00:00:00' AS begin SELECT count() FROM hits WHERE at > begin
WITH (SELECT max(ms) FROM hits) AS version SELECT ms / version FROM hits WHERE ms = version
SELECT upper(url) AS ms, ms = 'x' FROM hits
SELECT upper(url) AS ms, ms + 1 FROM hits
SELECT * FROM (SELECT 1 AS user) AS a JOIN a AS b USING (user)
SELECT b.url FROM hits AS a, a AS b
SELECT b.plan FROM hits AS a, a AS b
SELECT user FROM hits WHERE (ms > 10) AS slow
SELECT user, slow FROM hits PREWHERE ms > 10 AS slow WHERE is_bot
SELECT CASE WHEN ms > 10 THEN 1 AS one ELSE one END FROM hits
SELECT sum(ms) OVER (PARTITION BY country AS c ORDER BY at AS t), c, t FROM hits
SELECT cast(ms, concat('Int', '64')), cast(ms, if(1 = 1, 'Int8', 'String')) FROM hits
SELECT quantilesDD(0.01, 0.5)(ms), groupArrayMovingSum(2)(ms) FROM hits
SELECT quantilesDD(0.01, 0.5)(nosuch) FROM hits
SELECT grouping(user) AS grouping_id FROM hits GROUP BY user ORDER BY grouping_id
SELECT round(ms, NULL, 3), toDecimal32(NULL), toUInt8(NULL, 1, 2, 3) FROM hits
SELECT sum(NULL, 1), avg(NULL, 1, 2) FROM hits
SELECT round(ms, 1, 3) FROM hits
SELECT 1.5::BFloat16 = 1.5, ms::BFloat16 AS f FROM hits
SELECT at FROM hits ORDER BY at WITH FILL TO now() STEP 3 STALENESS INTERVAL 7 SECOND
SELECT at, ms FROM hits ORDER BY at WITH FILL STEP 1, ms INTERPOLATE (ms AS ms + 1)
SELECT * APPLY x -> toString(x) FROM people
SELECT * APPLY (x -> length(toString(x))) FROM people
SELECT country, device, count() FROM hits GROUP BY GROUPING SETS ((country, device), ())
SELECT * FROM people GROUP BY GROUPING SETS ((*), ())
SELECT id::UInt128, toUInt128(id), client::UInt128 FROM sales, hits
SELECT id::Float64 FROM sales
SELECT user, count() AS n FROM hits GROUP BY user, country HAVING n > 1 LIMIT 1 BY ALL
SELECT date_sub(DAY, 7, at), date_sub(HOUR, 1, at) FROM hits
WITH x -> x + 1 AS inc SELECT inc(ms) FROM hits ORDER BY ALL
SELECT count() FROM hits SETTINGS enable_analyzer = 0
SELECT count() FROM hits SETTINGS max_threads = 4, enable_analyzer = 1
SELECT count() FROM hits SETTINGS max_thread = 4
SELECT count() FROM hits SETTINGS max_threads = 'many'
SELECT count() FROM hits SETTINGS max_rows_to_read = -1
SELECT info.city, count() FROM sales GROUP BY info.city
SELECT info.city::String AS city, count() FROM sales GROUP BY city
SELECT id FROM sales ORDER BY info.city
SELECT id FROM sales ORDER BY info.city SETTINGS allow_suspicious_types_in_order_by = 1
SELECT DISTINCT info.city FROM sales WHERE info.city = 'Bonn'
SELECT formatDateTime(at, url) FROM hits
SELECT '%Y' AS f, formatDateTime(at, f) FROM hits
WITH 'UTC' AS zone SELECT toDateTime(at, zone) FROM hits
SELECT toDateTime(ms, country) FROM hits
SELECT splitByChar(session, url) FROM hits
SELECT toDecimal64(total, ordered) FROM sales
SELECT country, device, count() FROM hits GROUP BY COLUMNS('^country|^device')
SELECT (country, device) AS pair, country, count() FROM hits GROUP BY pair
SELECT bitAnd(discount, 1) FROM sales
SELECT bitSlice(ms, 1) FROM hits
SELECT countDigits(discount) FROM sales
SELECT formatReadableSize(at), has(ms, 1) FROM hits
SELECT url FROM hits ORDER BY CAST(session AS SIGNED), CAST(session AS UNSIGNED) DESC
SELECT CAST(session AS SIGNED) AS n, count() FROM hits GROUP BY n ORDER BY n
SELECT url FROM hits WHERE session = ‘abc’ AND ms > 10 − 3
SELECT “url” FROM hits
SELECT url FROM hits WHERE session = 'it’s' -- “open
SELECT name FROM people WHERE name = ‘O'Hara’
SELECT ’url’ FROM hits
SELECT 1 UNION SELECT 2 UNION DISTINCT SELECT 3
SELECT 1 UNION DISTINCT SELECT 2 UNION SELECT 3
SELECT ms MOD -7 FROM hits
SELECT count(DISTINCT ms > 100 ? user : 0) FROM hits
SELECT url FROM hits LIMIT 1 SETTINGS max_threads = 1 FORMAT JSON SETTINGS max_threads = 2
SELECT countIf(*, ms > 100) FROM hits
SELECT arrayJoin([count(), sum(ms)]) AS n FROM hits LIMIT 1 BY n
SELECT arrayIntersect([[1, NULL], [2]], [[1], [2]])
SELECT url FROM hits WHERE utm = ('google', 'cpc')
SELECT url FROM hits WHERE ms = (1, 'a')
SELECT url FROM hits WHERE utm = (SELECT name, plan FROM people LIMIT 1)
SELECT url FROM hits WHERE session > (SELECT name, plan FROM people LIMIT 1)
SELECT arrayFilter(p -> p = (1.5, 2.5), route) FROM hits
SELECT arrayFilter(p -> p = (1, 2), topics) FROM hits
SELECT url FROM hits ORDER BY 9 SETTINGS enable_positional_arguments = 0
SELECT uniqMerge(u) FROM (SELECT uniqMergeState(people) AS u FROM totals)
SELECT concatWithSeparator(sep, url, session) FROM (SELECT '-' AS sep, url, session FROM hits)
SELECT concatWithSeparator(url, session, session) FROM hits
SELECT url FROM (SELECT url FROM hits SETTINGS max_blok_size = 1)
SELECT url FROM hits SETTINGS max_blok_size = 1
SELECT url FROM hits PREWHERE ms = 'abc'
SELECT url FROM hits PREWHERE ms > 5 WHERE version = 'abc'
SELECT url FROM hits PREWHERE url
SELECT arraySum(qtys, 1, 1) FROM sales
SELECT arrayMap(q -> q * 2, qtys, 3) FROM sales
SELECT arrayMap((q, d) -> q * d, qtys, [1, 2]) FROM sales
SELECT h.url FROM hits h LEFT JOIN people p ON h.user = user
SELECT h.url FROM hits h JOIN people p ON h.user = user
SELECT h.url FROM hits h LEFT JOIN people p ON user = manager
SELECT h.url FROM hits h JOIN people p ON h.user = user JOIN sales s ON s.customer = h.user
SELECT h.user AS user FROM hits h JOIN people p ON user = p.user JOIN sales s ON s.customer = p.user
SELECT quantilesTDigest(0.5, 0.9)(ms), sumMapFiltered([1, 2)(qtys, qtys) FROM hits
SELECT info.lines[].price.:Int64, empty(info.lines[].price.:Int64) FROM sales
SELECT toStartOfMonth(created_at) AS month, count() AS n, sum(amount) AS revenue, round(avg(amount), 2) AS avg_order FROM orders WHERE status != 'cancelled' GROUP BY month ORDER BY month
SELECT country, countIf(is_gift) AS gifts, count() AS total, round(100 * gifts / total, 1) AS pct FROM orders GROUP BY country HAVING total > 50 ORDER BY pct DESC LIMIT 20
SELECT c.region, uniqExact(o.customer_id) AS buyers, sum(o.amount) AS gmv FROM orders AS o INNER JOIN customers AS c ON o.customer_id = c.customer_id WHERE o.created_at >= today() - INTERVAL 90 DAY GROUP BY c.region ORDER BY gmv DESC
SELECT arrayJoin(tags) AS tag, count() AS uses FROM orders GROUP BY tag ORDER BY uses DESC LIMIT 10
SELECT order_id, arraySum(x -> x.qty * x.price, line_items) AS gross FROM orders WHERE length(line_items) > 3
SELECT li.sku AS sku, sum(li.qty) AS sold FROM orders ARRAY JOIN line_items AS li GROUP BY sku ORDER BY sold DESC LIMIT 25
SELECT attrs['channel'] AS channel, quantile(0.5)(amount) AS median, quantiles(0.9, 0.99)(amount) AS tail FROM orders WHERE mapContains(attrs, 'channel') GROUP BY channel
SELECT toDate(event_time) AS d, uniq(user_id) AS dau, uniqIf(user_id, event = 'purchase') AS payers FROM page_events WHERE event_time >= now() - INTERVAL 30 DAY GROUP BY d ORDER BY d
SELECT user_id, groupArray(10)(url) AS path FROM (SELECT user_id, url FROM page_events WHERE event = 'view' ORDER BY user_id, event_time) GROUP BY user_id LIMIT 100
SELECT windowFunnel(3600)(toDateTime(event_time), event = 'view', event = 'cart', event = 'purchase') AS level, count() FROM page_events GROUP BY user_id
SELECT level, count() AS users FROM (SELECT user_id, windowFunnel(86400)(toDateTime(event_time), event = 'view', event = 'cart', event = 'purchase') AS level FROM page_events GROUP BY user_id) GROUP BY level ORDER BY level
SELECT retention(toDate(event_time) = '2026-01-01', toDate(event_time) = '2026-01-02') AS r, user_id FROM page_events GROUP BY user_id
SELECT sum(r[1]) AS d0, sum(r[2]) AS d1 FROM (SELECT retention(toDate(event_time) = '2026-01-01', toDate(event_time) = '2026-01-02') AS r FROM page_events GROUP BY user_id)
SELECT metric, avgMerge(value_state) AS avg_value, uniqMerge(users_state) AS users, sum(total) AS total FROM metrics_daily WHERE day BETWEEN '2026-01-01' AND '2026-01-31' GROUP BY metric
SELECT metric, finalizeAggregation(value_state) AS v FROM metrics_daily WHERE day = yesterday()
SELECT day, metric, uniqMergeIf(users_state, day > '2026-01-01') AS u FROM metrics_daily GROUP BY day, metric
SELECT customer_id, argMax(status, created_at) AS last_status, max(created_at) AS last_order FROM orders GROUP BY customer_id
SELECT full_name, dateDiff('year', birthday, today()) AS age FROM customers WHERE birthday IS NOT NULL ORDER BY age DESC LIMIT 5
SELECT segment, count() FROM customers FINAL GROUP BY segment ORDER BY segment
SELECT customer_id, amount, sum(amount) OVER (PARTITION BY customer_id ORDER BY created_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running FROM orders
SELECT customer_id, created_at, lagInFrame(created_at) OVER (PARTITION BY customer_id ORDER BY created_at) AS prev, dateDiff('day', prev, created_at) AS gap FROM orders
SELECT * FROM (SELECT region, full_name, ltv, row_number() OVER (PARTITION BY region ORDER BY ltv DESC) AS rn FROM customers) WHERE rn <= 3
SELECT region, full_name, rank() OVER w AS r FROM customers WINDOW w AS (PARTITION BY region ORDER BY ltv DESC NULLS LAST) QUALIFY r = 1
SELECT payload.customer.device AS device, count() FROM orders GROUP BY device.:String AS d2 ORDER BY d2
SELECT payload.shipping.cost.:Float64 AS cost, payload.shipping.carrier.:String AS carrier FROM orders WHERE payload.shipping.express.:Bool
SELECT toString(payload.campaign) AS campaign, sum(amount) FROM orders GROUP BY campaign
SELECT JSONExtractString(props['meta'], 'ref') AS ref, JSONExtractInt(props['meta'], 'pos') AS pos FROM page_events WHERE JSONHas(props['meta'], 'ref')
SELECT domain(url) AS host, cutQueryString(url) AS page, extractURLParameter(url, 'utm_source') AS src, count() FROM page_events GROUP BY host, page, src
SELECT geo.country AS country, geo.city AS city, count() AS hits FROM page_events GROUP BY country, city ORDER BY hits DESC LIMIT 1 BY country
SELECT ab.test AS test, ab.variant AS variant, avg(duration_ms) FROM page_events ARRAY JOIN ab GROUP BY test, variant
SELECT user_id, arrayDistinct(groupArray(event)) AS events, length(events) AS n FROM page_events GROUP BY user_id HAVING n > 3
SELECT arrayFilter((t, v) -> v = 1, ab.test, ab.variant) AS winners FROM page_events
SELECT toStartOfInterval(event_time, INTERVAL 15 MINUTE) AS bucket, count() AS c FROM page_events GROUP BY bucket ORDER BY bucket WITH FILL FROM toStartOfInterval(now() - INTERVAL 1 DAY, INTERVAL 15 MINUTE) TO now() STEP INTERVAL 15 MINUTE
SELECT toYYYYMM(created_at) AS ym, sumIf(amount, status = 'paid') AS paid, sumIf(amount, status = 'refunded') AS refunded, paid - refunded AS net FROM orders GROUP BY ym ORDER BY ym
WITH toStartOfWeek(created_at, 1) AS wk SELECT wk, count() FROM orders GROUP BY wk ORDER BY wk
WITH (SELECT max(created_at) FROM orders) AS latest SELECT count() FROM orders WHERE created_at > latest - INTERVAL 7 DAY
WITH first_orders AS (SELECT customer_id, min(created_at) AS first_at FROM orders GROUP BY customer_id) SELECT toStartOfMonth(first_at) AS cohort, dateDiff('month', toStartOfMonth(first_at), toStartOfMonth(o.created_at)) AS month_no, uniq(o.customer_id) AS customers FROM orders AS o JOIN first_orders AS f ON o.customer_id = f.customer_id GROUP BY cohort, month_no ORDER BY cohort, month_no
SELECT multiIf(amount < 20, 'small', amount < 100, 'medium', 'large') AS bucket, count() FROM orders GROUP BY bucket
SELECT transform(status, ['new', 'paid', 'sent'], ['1-new', '2-paid', '3-sent'], 'other') AS stage, count() FROM orders GROUP BY stage ORDER BY stage
SELECT CASE WHEN is_gift THEN 'gift' WHEN amount > 500 THEN 'big' ELSE 'regular' END AS kind, avg(tax) FROM orders GROUP BY kind
SELECT if(empty(email), 'unknown', splitByChar('@', assumeNotNull(email))[2]) AS provider, count() FROM customers GROUP BY provider ORDER BY count() DESC
SELECT coalesce(email, concat(lower(replaceAll(full_name, ' ', '.')), '@example.com')) AS contact FROM customers
SELECT formatDateTime(created_at, '%Y-%m-%d %H:%i') AS t, amount FROM orders ORDER BY created_at DESC LIMIT 10 OFFSET 20
SELECT date_trunc('quarter', created_at) AS q, sum(amount) FROM orders GROUP BY q
SELECT toDayOfWeek(created_at) AS dow, toHour(created_at) AS h, count() FROM orders GROUP BY dow, h WITH TOTALS ORDER BY dow, h
SELECT region, segment, count() FROM customers GROUP BY ROLLUP(region, segment)
SELECT region, segment, count() FROM customers GROUP BY GROUPING SETS ((region), (segment), ())
SELECT topK(5)(url) FROM page_events WHERE event = 'view'
SELECT event, topKWeighted(3)(url, duration_ms) AS top FROM page_events GROUP BY event
SELECT avgWeighted(amount, tax), stddevPop(amount), corr(toFloat64(amount), tax) FROM orders
SELECT simpleLinearRegression(tax, toFloat64(amount)) FROM orders
SELECT histogram(10)(duration_ms) FROM page_events
SELECT IPv4NumToString(toUInt32(ip)) AS addr, count() FROM page_events WHERE ip BETWEEN toIPv4('10.0.0.0') AND toIPv4('10.255.255.255') GROUP BY addr
SELECT isIPAddressInRange(toString(ip), '192.168.0.0/16') AS internal, count() FROM page_events GROUP BY internal
SELECT session_id, min(event_time) AS started, max(event_time) AS ended, dateDiff('second', started, ended) AS secs FROM page_events GROUP BY session_id HAVING secs > 60
SELECT count() FROM page_events WHERE session_id = '61f0c404-5cb3-11e7-907b-a6006ad3dba0'
SELECT o.order_id FROM orders o LEFT ANTI JOIN customers c ON o.customer_id = c.customer_id
SELECT c.full_name FROM customers c LEFT SEMI JOIN orders o ON c.customer_id = o.customer_id WHERE c.ltv > 100
SELECT e.user_id, e.event_time, o.amount FROM page_events e ASOF LEFT JOIN orders o ON e.user_id = o.customer_id AND toDateTime(e.event_time) >= o.created_at
SELECT a.customer_id, b.customer_id AS referred FROM customers a JOIN customers b ON a.customer_id = b.referrer_id
SELECT full_name FROM customers WHERE customer_id IN (SELECT customer_id FROM orders WHERE amount > 1000) AND customer_id NOT IN (SELECT customer_id FROM orders WHERE status = 'refunded')
SELECT full_name FROM customers WHERE customer_id GLOBAL IN (SELECT customer_id FROM orders)
SELECT count() FROM orders WHERE has(tags, 'vip') AND hasAny(tags, ['promo', 'sale']) AND NOT hasAll(tags, ['test', 'internal'])
SELECT mapKeys(attrs) AS k, mapValues(attrs) AS v FROM orders WHERE notEmpty(attrs) LIMIT 5
SELECT k, count() FROM orders ARRAY JOIN mapKeys(attrs) AS k GROUP BY k
SELECT mapFilter((k, v) -> k LIKE 'utm%', props) AS utm FROM page_events
SELECT arrayMap(x -> round(x * 1.1, 2), nums) AS scaled, arrayReduce('max', nums) AS top, arrayAvg(nums) FROM page_events
SELECT arraySort(x -> -x, nums)[1] AS biggest, arrayStringConcat(arrayMap(x -> toString(x), nums), ',') AS csv FROM page_events
SELECT arrayZip(ab.test, ab.variant) AS pairs FROM page_events WHERE notEmpty(ab.test)
SELECT groupUniqArray(status), groupBitmap(customer_id), any(country), anyLast(tax) FROM orders
SELECT sumMap(map(status, 1)) AS by_status FROM orders
SELECT toTypeName(payload), JSONAllPaths(payload) FROM orders LIMIT 1
SELECT lower(hex(MD5(full_name))) AS h, cityHash64(full_name, email) AS ch, sipHash64(customer_id) FROM customers
SELECT bitAnd(customer_id, 255) AS shard, count() FROM orders GROUP BY shard
SELECT intDiv(toUInt32(duration_ms), 1000) AS s, modulo(user_id, 16) AS m FROM page_events
SELECT position(url, '/checkout') > 0 AS is_checkout, match(url, '^https?://') AS ok, extract(url, 'id=(\\d+)') AS id FROM page_events
SELECT replaceRegexpOne(url, '\\?.*$', '') AS clean, substring(url, 1, 50) AS head, splitByString('://', url)[1] AS proto FROM page_events
SELECT * EXCEPT (payload, line_items) FROM orders LIMIT 10
SELECT * REPLACE (round(tax, 1) AS tax) FROM orders LIMIT 10
SELECT COLUMNS('_at$') FROM orders
SELECT o.*, c.full_name FROM orders o JOIN customers c USING (customer_id) WHERE c.segment = 'ent'
SELECT customer_id, count() AS n FROM orders GROUP BY ALL ORDER BY ALL
SELECT DISTINCT ON (customer_id) customer_id, order_id, created_at FROM orders ORDER BY customer_id, created_at DESC
SELECT number AS n, toDate('2026-01-01') + number AS day FROM numbers(31)
SELECT day, ifNull(n, 0) AS n FROM (SELECT toDate('2026-01-01') + number AS day FROM numbers(31)) AS days LEFT JOIN (SELECT toDate(created_at) AS day, count() AS n FROM orders GROUP BY day) AS o USING (day)
SELECT status FROM orders UNION ALL SELECT region FROM customers
SELECT customer_id FROM orders INTERSECT SELECT customer_id FROM customers
SELECT customer_id FROM customers EXCEPT SELECT customer_id FROM orders
SELECT exponentialMovingAverage(5)(toFloat64(amount), toUnixTimestamp(created_at)) FROM orders
SELECT deltaSum(duration_ms), maxIntersections(toUInt32(user_id), toUInt32(duration_ms)) FROM page_events
SELECT toStartOfDay(event_time) AS d, count() AS c, c - lagInFrame(c, 1, 0) OVER (ORDER BY d) AS delta FROM page_events GROUP BY d
SELECT event, count() * 100.0 / sum(count()) OVER () AS share FROM page_events GROUP BY event ORDER BY share DESC
SELECT ntile(4) OVER (ORDER BY ltv) AS quartile, full_name FROM customers WHERE isNotNull(ltv)
SELECT first_value(url) OVER (PARTITION BY session_id ORDER BY event_time) AS landing, session_id FROM page_events
SELECT toDateTime(event_time, 'Europe/Berlin') AS berlin, toTimeZone(event_time, 'UTC') AS utc FROM page_events
SELECT parseDateTimeBestEffortOrNull(props['ts']) AS ts, toUInt32OrZero(props['n']) AS n, toFloat64OrNull(props['x']) FROM page_events
SELECT created_at + INTERVAL 2 HOUR AS eta, addDays(created_at, 3) AS due, subtractMonths(toDate(created_at), 1) AS prev FROM orders
SELECT age('day', created_at, shipped_at) AS days_to_ship FROM orders WHERE shipped_at IS NOT NULL
SELECT avg(dateDiff('hour', created_at, shipped_at)) AS avg_hours FROM orders WHERE status IN ('sent', 'delivered')
SELECT sum(amount) FILTER (WHERE is_gift) AS gift_amount, count(*) FILTER (WHERE NOT is_gift) AS others FROM orders
SELECT customer_id FROM orders GROUP BY customer_id HAVING count() > 5 AND max(amount) > 2 * avg(amount)
SELECT uniqCombined(user_id), uniqHLL12(user_id), uniqTheta(user_id) FROM page_events
SELECT sequenceMatch('(?1)(?t<600)(?2)')(toDateTime(event_time), event = 'cart', event = 'purchase') AS converted, user_id FROM page_events GROUP BY user_id
SELECT toLastDayOfMonth(created_at) AS m_end, monthName(created_at) AS m, toWeek(created_at) AS w, toISOYear(created_at) FROM orders
SELECT makeDate(2026, 1, 15) AS d, toUnixTimestamp(created_at) AS ts, fromUnixTimestamp(1700000000) AS dt FROM orders LIMIT 1
SELECT tuple(region, segment) AS key, count() FROM customers GROUP BY key
SELECT (geo.country, geo.city) IN (('DE', 'Berlin'), ('FR', 'Paris')) AS target, count() FROM page_events GROUP BY target
SELECT generateUUIDv4() AS id, rand() % 100 AS r, randUniform(0, 1) FROM numbers(5)
SELECT formatReadableSize(sum(length(url))) AS size, formatReadableQuantity(count()) FROM page_events
SELECT greatest(tax, toFloat64(amount)) AS g, least(tax, 0) AS l, abs(tax), sqrt(tax), pow(tax, 2), log10(tax + 1) FROM orders
SELECT CAST(amount AS Float64) AS f, amount::String AS s, toDecimal64(tax, 4) AS d, toInt32(tax) FROM orders
SELECT nullIf(status, '') AS s, ifNull(email, 'n/a') FROM orders JOIN customers USING customer_id
SELECT runningDifference(duration_ms) FROM page_events SETTINGS allow_deprecated_error_prone_window_functions = 1
SELECT count() FROM orders SAMPLE 0.1
SELECT count() FROM orders PREWHERE status = 'paid' WHERE amount > 10
SELECT order_id FROM orders ORDER BY amount DESC LIMIT 3 WITH TIES
SELECT status, sum(amount) AS s FROM orders GROUP BY status ORDER BY s DESC SETTINGS max_threads = 4, max_execution_time = 30
SELECT user_id, untuple(argMax((url, event), event_time)) FROM page_events GROUP BY user_id
SELECT arrayEnumerate(nums) AS i, arrayCumSum(nums) AS cs, arrayDifference(nums) AS df, indexOf(nums, 1.5) FROM page_events
SELECT countEqual(tags, 'vip'), arrayExists(t -> t LIKE 'p%', tags), arrayFirst(t -> length(t) > 5, tags), arrayCount(t -> t != '', tags) FROM orders
SELECT tags[1] AS first_tag, tags[-1] AS last_tag, arraySlice(tags, 1, 3) AS few, arrayConcat(tags, ['x']) FROM orders
SELECT line_items[1].sku AS sku, line_items.qty AS qtys, arraySum(line_items.qty) AS total_qty FROM orders
SELECT tupleElement(geo, 'city') AS city, geo.1 AS country FROM page_events
SELECT toJSONString(map('a', 1)) AS j, toJSONString(geo) FROM page_events
SELECT dictGet('default.regions', 'title', region) FROM customers
SELECT sum(amount) AS total FROM orders WHERE toYear(created_at) = 2026 AND toMonth(created_at) IN (1, 2, 3)
SELECT startsWith(url, 'https') AS s, endsWith(url, '.pdf') AS e, url ILIKE '%login%' AS i, like(url, '%x%') FROM page_events
SELECT median(duration_ms), quantileExact(0.9)(duration_ms), quantileTiming(0.95)(duration_ms) FROM page_events
SELECT minMap(map('a', tax)), maxMap(map('a', tax)) FROM orders
SELECT customer_id, groupArrayIf(order_id, status = 'paid') AS paid_ids, groupArraySorted(5)(amount) FROM orders GROUP BY customer_id
SELECT entropy(status), skewPop(tax), kurtPop(tax), varSamp(tax), covarPop(tax, toFloat64(amount)) FROM orders
SELECT toStartOfHour(event_time) AS h, quantilesTDigest(0.5, 0.95)(duration_ms)[2] AS p95 FROM page_events GROUP BY h ORDER BY h
SELECT u.user_id, c.full_name FROM (SELECT user_id, count() AS n FROM page_events GROUP BY user_id) AS u INNER JOIN customers AS c ON c.customer_id = u.user_id WHERE u.n > 100
SELECT revenue_by.month, revenue_by.total FROM (SELECT toStartOfMonth(created_at) AS month, sum(amount) AS total FROM orders GROUP BY month) AS revenue_by ORDER BY revenue_by.total DESC
SELECT order_date, SUM(amount) FROM orders GROUP BY order_date
SELECT region, AVG(lifetime_value) FROM customers GROUP BY region
SELECT c.region, SUM(o.amount) FROM orders o JOIN customers c ON o.cust_id = c.customer_id GROUP BY c.region
SELECT * FROM order_items WHERE qty > 5
SELECT customer_id, status, count() FROM orders GROUP BY customer_id
SELECT region, full_name, max(ltv) FROM customers GROUP BY region
SELECT toStartOfMonth(created_at) AS m, customer_id, sum(amount) FROM orders GROUP BY m
SELECT DATE_FORMAT(created_at) FROM orders
SELECT TO_CHAR(created_at, 'YYYY-MM') AS m, count() FROM orders GROUP BY m
SELECT STRING_AGG2(full_name, ', ') FROM customers
SELECT LISTAGG(full_name, ', ') FROM customers GROUP BY region
SELECT DATEADD2(day, 1, signup) FROM customers
SELECT ISNULL2(email, 'x') FROM customers
SELECT GETDATE() - signup FROM customers
SELECT full_name, NVL2(email, 1, 0) FROM customers
SELECT JSON_AGG(full_name) FROM customers
SELECT ARRAY_AGG(full_name ORDER BY full_name) FROM customers
SELECT sum(status) FROM orders
SELECT avg(full_name) FROM customers
SELECT toStartOfMonth(status) FROM orders
SELECT dateDiff('day', created_at) FROM orders
SELECT dateDiff('fortnight', created_at, shipped_at) FROM orders
SELECT date_trunc('mon', created_at) FROM orders
SELECT amount + status FROM orders
SELECT tags + 1 FROM orders
SELECT arraySum(status) FROM orders
SELECT arrayMap(x -> x + 1) FROM page_events
SELECT arrayMap(nums, x -> x * 2) FROM page_events
SELECT arrayFilter(x -> x > 1, duration_ms) FROM page_events
SELECT has(status, 'a') FROM orders
SELECT hasAny(tags, 'promo') FROM orders
SELECT mapKeys(tags) FROM orders
SELECT attrs.channel FROM orders
SELECT geo.countri FROM page_events
SELECT ab.tests FROM page_events
SELECT line_items.price_usd FROM orders
SELECT quantile(0.5, 0.9)(amount) FROM orders
SELECT quantiles(amount) FROM orders
SELECT windowFunnel(toDateTime(event_time), event = 'a') FROM page_events
SELECT count(*) FROM orders WHERE amount = 'expensive'
SELECT count(*) FROM orders WHERE created_at > 'last week'
SELECT count(*) FROM customers WHERE segment = 'enterprise'
SELECT count(*) FROM customers WHERE signup = 'yesterday'
SELECT * FROM customers WHERE ltv > 'high'
SELECT order_id FROM orders WHERE sum(amount) > 100
SELECT customer_id, sum(amount) AS s FROM orders WHERE s > 100 GROUP BY customer_id
SELECT customer_id FROM orders GROUP BY customer_id HAVING created_at > now()
SELECT sum(count()) FROM orders GROUP BY status
SELECT max(sum(amount)) FROM orders GROUP BY customer_id
SELECT customer_id FROM orders o JOIN customers c ON o.customer_id = c.customer_id WHERE x.region = 'EU'
SELECT o.order_id, c.region FROM orders o LEFT JOIN customers c ON o.customer_id > c.customer_id
SELECT * FROM orders JOIN customers
SELECT order_id FROM orders ORDER BY totl DESC
SELECT order_id, amount FROM orders LIMIT 10, 20, 30
SELECT order_id amount, FROM orders
SELECT order_id FROM orders WHERE status LIKE
SELECT order_id FROM orders WHERE customer_id IN (SELECT customer_id, region FROM customers)
SELECT (SELECT customer_id, region FROM customers LIMIT 1) + 1
SELECT order_id FROM orders UNION ALL SELECT customer_id, region FROM customers
SELECT order_id FROM orders UNION SELECT customer_id FROM customers
SELECT row_number() FROM orders
SELECT order_id, rank() OVER (ORDER BY amount) AS r FROM orders WHERE r = 1
SELECT lag(amount) OVER (PARTITION customer_id) FROM orders
SELECT uniqMerge(total) FROM metrics_daily
SELECT sumMerge(value_state) FROM metrics_daily
SELECT avg(value_state) FROM metrics_daily
SELECT CAST(amount AS Money) FROM orders
SELECT toDecimal64(tax) FROM orders
SELECT toDateTime64(created_at) FROM orders
SELECT INTERVAL 1 FORTNIGHT + created_at FROM orders
SELECT substring(status) FROM orders
SELECT concat_ws2(',', status, country) FROM orders
SELECT splitByChar(status) FROM orders
SELECT lower(amount) FROM orders
SELECT length(amount) FROM orders
SELECT round(status, 2) FROM orders
SELECT if(status = 'a', 1) FROM orders
SELECT multiIf(amount > 1, 'a', amount > 2, 'b') FROM orders
SELECT coalesce() FROM orders
SELECT topK(url) FROM page_events
SELECT argMax(url) FROM page_events GROUP BY user_id
SELECT sumIf(amount) FROM orders
SELECT countIf(status) FROM orders
SELECT ip = '999.1.1.1' FROM page_events
SELECT session_id = 'abc' FROM page_events
SELECT transform(status, ['a', 'b'], [1, 2]) FROM orders
SELECT full_name FROM customers LIMIT 5 BY
SELECT full_name FROM customers WHERE birthday.year = 1990
SELECT payload->>'campaign' FROM orders
SELECT payload:campaign FROM orders
SELECT full_name FROM customers WHERE full_name ~ '^A'
SELECT TOP 5 full_name FROM customers
SELECT full_name FROM customers FETCH FIRST 5 ROWS ONLY
SELECT `full_name` FROM `customers` WHERE "region" = "EU"
SELECT full_name FROM customers WHERE region = ALL (SELECT region FROM customers)
SELECT EXTRACT(EPOCH FROM created_at) FROM orders
SELECT created_at::date, amount::numeric(10, 2), order_id::text FROM orders
SELECT full_name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)
SELECT full_name, (SELECT count() FROM orders o WHERE o.customer_id = c.customer_id) AS n FROM customers c
SELECT full_name FROM customers c WHERE ltv > (SELECT avg(ltv) FROM customers c2 WHERE c2.region = c.region)
SELECT DATE_SUB(created_at, INTERVAL 1 DAY), DATE_ADD(created_at, INTERVAL 1 MONTH), NOW(), CURDATE() FROM orders
SELECT YEAR(created_at), MONTH(created_at), DAY(created_at), WEEK(created_at) FROM orders
SELECT IFNULL(email, ''), NVL(email, ''), CONCAT_WS('-', full_name, region) FROM customers
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY amount) FROM orders
SELECT full_name FROM customers OFFSET 5
SELECT GROUP_CONCAT(full_name) FROM customers
SELECT string_agg(full_name, ',') FROM customers
SELECT approx_count_distinct(user_id), APPROX_TOP_K(3)(url) FROM page_events
SELECT DATEDIFF(created_at, shipped_at) FROM orders
SELECT TIMESTAMPDIFF(DAY, created_at, shipped_at) FROM orders
SELECT 'page ' || ms FROM hits
SELECT number = 'abc' FROM numbers(5)
SELECT toStartOfHour(number) FROM numbers(5)
SELECT url FROM hits ARRAY JOIN topics topic
SELECT topic FROM hits ARRAY JOIN topics as topic
SELECT quantile(0.5, 0.9)(ms), avg(1)(ms) FROM hits
SELECT quantilesExact(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)(ms), topK(3, 4)(url) FROM hits
SELECT sequenceMatch('(?1).*(?2)')(at, ms = 1, ms = 2) FROM hits
SELECT sequenceMatch('(?1)', 2)(at, ms = 1, ms = 2) FROM hits
SELECT countDistinct(user, session) FROM hits
SELECT transform(url, ['/a', '/b'], ['x', 'y']), transform(ms, [1, 2], ['x', 'y'], '?') FROM hits
SELECT transform(ms, [1, 2], ['x', 'y']) FROM hits
SELECT (SELECT user, url FROM hits LIMIT 1) > (1, 'a')
SELECT dateDiff('fortnight', at, at) FROM hits
SELECT toFloat64('-inf'), url FROM hits WHERE ms = 'N/A' OR user = 'U12'
SELECT toUUID('61F0C404-5CB3-11E7-907B-A6006AD3DBA0')
SELECT upper(url) AS url, count() FROM hits GROUP BY session
SELECT upper(url) AS url, count() FROM hits GROUP BY url
SELECT upper(url) AS url, length(url) AS l, count() FROM hits GROUP BY url
SELECT CAST(ms, 'Nope') FROM hits
SELECT CAST(ms, 'UUID') FROM hits
SELECT CAST('abc' AS Nullable(Int32)), CAST('abc', 'Nullable(Date)'), CAST(ms, ' String ') FROM hits
SELECT CAST('abc', 'Date') FROM hits
SELECT length(if(ms > 1, NULL, topics)) FROM hits
SELECT CAST(qtys, 'Array(String)')[1] + 1 FROM sales
SELECT dateDiff('fortnight', paid_at, paid_at) FROM sales
SELECT toStartOfInterval(at, INTERVAL 5 MINUTE) AS slot FROM hits WHERE slot > '2026-01-01 10:00:00'
SELECT finalizeAggregation(sums), arraySum([1.5, 2.5]) / 2, mapValues(limits)[1] + 1 FROM totals, people
SELECT UUIDStringToNum(toFixedString(session, 36)) FROM hits
SELECT * FROM (SELECT 1 AS a) PASTE JOIN (SELECT 2 AS b)
SELECT arrayResize([[1, 2], [3]], 4, [5, 6]) FROM hits
SELECT hasAny(topics, [1, 2]) FROM hits
SELECT hasAll(qtys, [1.5]), hasAny(topics, ['a', NULL]), hasSubstr(topics, []) FROM hits, sales
SELECT hasAny([at], ['2026-01-01']) FROM hits
SELECT if(1, ms, ghost) FROM hits
SELECT if(1, ghost, ms), multiIf(0, ghost, 1 = 1, ms, other) FROM hits
SELECT multiIf(0, ghost, 1 = 1, ms, other), CASE WHEN true THEN ms ELSE ghost END FROM hits
SELECT if(ms > 1, ms, ghost) FROM hits
SELECT ms AS from, user AS where, url AS join FROM hits
SELECT in(ms, (1, 2)), count(in(user, [3])) FROM hits GROUP BY ms
SELECT arrayMap(lambda(tuple(x), x + 1), [1, 2]), arrayMap(lambda((x, y), x + y), [1], [2])
SELECT arrayMap(lambda(tuple(x), ghost + 1), [1, 2])
SELECT * REPLACE (1 AS ghost) FROM totals
WITH RECURSIVE tree AS (SELECT user FROM hits WHERE user = 'abc' UNION ALL SELECT user FROM tree) SELECT * FROM tree
WITH RECURSIVE recursive AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM recursive WHERE n < 5) SELECT n FROM recursive
WITH RECURSIVE seen AS (SELECT user FROM hits UNION ALL SELECT manager FROM people WHERE people.user IN seen) SELECT * FROM seen
SELECT ms, 5 AS factor FROM (SELECT ms * factor AS ms FROM hits)
SELECT sum(ms) AS total FROM (SELECT ms FROM hits WHERE ms > total)
SELECT number, _table FROM numbers(3)
SELECT * FROM hits, hits
SELECT x.utm.source, hits.utm.medium FROM hits AS x
SELECT extract(YYYY FROM at), extract(q FROM at) FROM hits
SELECT extract(eon FROM at) FROM hits
SELECT rows, marks FROM (EXPLAIN ESTIMATE SELECT sum(ms) FROM hits)
SELECT ghost FROM (EXPLAIN ESTIMATE SELECT sum(ms) FROM hits)
SELECT * FROM (EXPLAIN actions = 'all' SELECT ms FROM hits)
SELECT * FROM (EXPLAIN SELECT ms FROM hits SETTINGS max_threads = 'many')
SELECT ms FROM hits SETTINGS join_algorithm = 'quick'
SELECT ms FROM hits SETTINGS join_algorithm = 'hash, grace_hash', max_execution_time = 1.5
SELECT ms FROM hits SETTINGS use_query_cache = 2
SELECT ms FROM hits SETTINGS max_execution_time = nan
SELECT ms FROM hits SETTINGS session_timezone = 'UTC', max_memory_usage = '10G', log_comment = 'weekly'
SELECT ms FROM hits SETTINGS log_comment = 5
SELECT * FROM (SELECT 1 AS a) FINAL
WITH busy AS (SELECT ms FROM hits) SELECT ms FROM busy FINAL
SELECT number FROM numbers(5) SAMPLE 1 / 2
SELECT number FROM numbers(5) PREWHERE number = 1
SELECT sensor FROM readings SAMPLE 1 / 10 PREWHERE value > 1
SELECT country, device FROM hits GROUP BY GROUPING SETS ((country), (device)) WITH TOTALS
SELECT country FROM hits GROUP BY GROUPING SETS ((country)) WITH TOTALS
SELECT country, count() FROM hits GROUP BY country WITH ROLLUP WITH TOTALS HAVING country != ''
SELECT country, count() FROM hits GROUP BY country WITH ROLLUP WITH TOTALS
SELECT 1 AS n WITH CUBE
SELECT upper(url) RESPECT NULLS FROM hits
SELECT any(url) RESPECT NULLS FROM hits
SELECT ms FROM hits SETTINGS
WITH 'ghosts' AS source SELECT dictGet(source, 'title', user) FROM hits
SELECT 'ghosts' AS source, dictGet(source, 'title', user) FROM hits
SELECT naiveBayesClassifier('ghosts', url) FROM hits
SELECT url = utm FROM hits
SELECT '(1, 2)' = (1, 2), (ms, user) = (1, 2) FROM hits
SELECT * EXCEPT (sensor, day, sums, people, peak) FROM totals
SELECT * FROM numbers(1, 2, 3, 4)
SELECT * FROM zeros(1, 2)
SELECT * FROM generate_series(1)
SELECT lead(ms, 1, 0, 2) OVER (ORDER BY at) FROM hits
SELECT url FROM hits PREWHERE ms > 5
SELECT * FROM people FINAL
SELECT id FROM sales FINAL SAMPLE 1 / 10
SELECT info.a.b FROM sales GROUP BY info.a.b
SELECT info.a.b.Int64, count(DISTINCT info.a) FROM sales GROUP BY info.a.b.Int64
SELECT a, c FROM values('a Int32, b String', (1, 'x'))
SELECT a + 1, upper(b) FROM values('a Int32, b String', (1, 'x'))
SELECT upper(a) FROM values('a Int32, b String', (1, 'x'))
SELECT c FROM null('a Int32, b Array(Tuple(x Int32, y String))')
SELECT b.y FROM null('a Int32, b Array(Tuple(x Int32, y String))')
SELECT c1 FROM format('TSV', '2022-04-22 03:45')
SELECT c FROM format(CSV, 'a Int32, b String', '1,2')
SELECT (ms, url).3 FROM hits
SELECT (ms, url).2 || 'x', tuple(ms, url).1 + 1 FROM hits
SELECT url FROM hits PREWHERE url = 1
SELECT url FROM hits PREWHERE url > 1 AND ms + url
SELECT url FROM hits PREWHERE formatDateTime(at, url) = 'x'
SELECT url FROM hits WHERE isNull(url = 1)
SELECT toTypeName(url = 1) FROM hits
SELECT user FROM (SELECT user, url = 1 AS found FROM hits)
SELECT found FROM (SELECT user, url = 1 AS found FROM hits)
SELECT user FROM (SELECT DISTINCT user, url = 1 AS found FROM hits)
SELECT user FROM (SELECT user, url = 1 AS found FROM hits UNION ALL SELECT 1, 1)
WITH h AS (SELECT user, formatDateTime(at, url) AS text FROM hits) SELECT user FROM h
SELECT word = 1 FROM (SELECT '1' AS word)
SELECT count() FROM hits h, people p WHERE h.user IN p.user
SELECT count() FROM hits h, people p WHERE h.user IN (p.user) AND h.user NOT IN h.ms
SELECT count() FROM hits h, people p WHERE h.user IN p.usr
SELECT url FROM hits WHERE client IN (['::1'])
SELECT url FROM hits WHERE ms IN ([1, 2]) AND user IN [3]
WITH 5 AS few SELECT url FROM hits LIMIT few
WITH 5 AS few SELECT url FROM hits ORDER BY at LIMIT few, few + 1 WITH TIES
SELECT 5 AS few, url FROM hits LIMIT few OFFSET few
SELECT url FROM hits LIMIT ms
SELECT url FROM hits ORDER BY at LIMIT 1 + 1, 3 WITH TIES
SELECT url FROM hits SETTINGS optimize_read_in_order = -0, max_threads = 1.0
SELECT url FROM hits SETTINGS optimize_read_in_order = 0.5
SELECT url FROM hits SETTINGS optimize_read_in_order = 1.5
SELECT position(url, 'a', ms > 1), position('a' IN url), overlay(url, session, ms > 1) FROM hits
SELECT transform(at, [2, 3], ['a', 'b'], url), transform(url, [2], ['a']), transform(ms, [1], ['a'], NULL) FROM hits
SELECT transform(ms, [1], ['a'], 1) FROM hits
SELECT transform(ms, ['x'], ['a'], url) FROM hits
SELECT transform(id, [1], ['a'], 'b') FROM sales
SELECT splitByChar((SELECT ','), url), extractAll(url, (SELECT 'a')) FROM hits
SELECT countSubstrings(url, 'a', version) FROM hits
SELECT utm.-1, (1, 2).-1 FROM hits
SELECT url FROM hits ORDER BY 'x' AS one DESC NULLS FIRST, ms AS two, one
SELECT any(url AS u), left(any(session) AS s, 2), right(s, 1) FROM hits
SELECT (ms AS m AND version), m FROM hits
SELECT left.url FROM hits AS left INNER JOIN people AS right ON (left.user) = (right.user)
SELECT h.url FROM hits AS h LEFT JOIN people AS p ON (h.user = p.user OR h.ms = p.user)
SELECT h.url FROM hits AS h LEFT JOIN people AS p ON (h.user > p.user)
SELECT h.* EXCEPT (url), p.COLUMNS('^n') FROM hits AS h JOIN people AS p USING (user)
SELECT COLUMNS(ms, user) APPLY toString APPLY length FROM hits
SELECT * REPLACE (user + 1 AS user) EXCEPT (name) FROM people
SELECT user, plan FROM people ORDER BY user WITH FILL FROM 1 TO 5, plan WITH FILL INTERPOLATE
SELECT sensor FROM readings SAMPLE 1 / 10 OFFSET 1 / 2 PREWHERE value > 1 WHERE battery = 1
SELECT if(1, url, NULL) = 123, if(0, NULL, at) > 'yesterday' FROM hits
SELECT url ~ ('^a'), url ~ concat('^', session), url !~ '^b' FROM hits
WITH 1 AS one, SELECT one
WITH x -> x + 1 AS more SELECT more(ms) FROM hits UNION ALL WITH x -> x + 2 AS more SELECT more(user) FROM people
WITH x -> x + 1 AS more SELECT n FROM (SELECT more(ms) AS n FROM hits)
SELECT 1 UNION SELECT 2 SETTINGS union_default_mode = 'DISTINCT'
with (select max(ms) from hits) as most select url from hits where ms = most
with 'de' as code select url from hits where country = code
from hits select url where ms > 1
WITH RECURSIVE chain AS (SELECT plan FROM people WHERE user = 1 UNION ALL SELECT plan FROM people WHERE plan IN chain AND plan != 0 GROUP BY plan) SELECT plan FROM chain
SELECT user & 1 FROM hits
SELECT user | 1, url FROM hits
SELECT user << 1 FROM hits
SELECT user >> 1 FROM hits
SELECT ~user FROM hits
SELECT (user), user, ms FROM hits GROUP BY ms, user, user WITH TOTALS ORDER BY user
SELECT * EXCEPT (beds) FROM wards GROUP BY id, title
SELECT * EXCEPT (beds) FROM wards GROUP BY id
SELECT COLUMNS('id|beds') REPLACE (id * 2 AS id), COLUMNS('id|beds') EXCEPT (id) FROM wards
SELECT COLUMNS(wards.id, beds) FROM wards
WITH CAST((1, ('a', 2)) AS Tuple(Int32, Tuple(x String, y Float64))) AS pair SELECT pair.2.x, pair.2.y + 1, pair.2.1
-- parameters, dictionaries, dead branches, tuples, trailing commas
SELECT joinGet(rates, 'name', toUInt32(1))
SELECT joinGetOrNull(clinic.rates, 'name', toUInt32(1))
SELECT joinGet('rates', 'name', toUInt32(1))
SELECT joinGet(norates, 'name', toUInt32(1))
SELECT dictGet(titles, 'v', toUInt64(1))
SELECT dictGet('titles', 'v', toUInt64(1))
SELECT dictGet(clinic.titles, 'v', toUInt64(1))
SELECT dictGet('tariffs', 'v', toUInt64(1), today())
SELECT dictGetOrDefault('tariffs', 'v', toUInt64(1), today(), 'x')
SELECT dictHas('tariffs', toUInt64(1), today())
SELECT dictGetDescendants('tree', 5)
SELECT dictGetDescendants('tree', 5, 1)
SELECT dictGetChildren('tree', 5)
SELECT dictGetHierarchy('tree', toUInt64(5))
SELECT dictIsIn('tree', toUInt64(5), toUInt64(6))
SELECT dictGetOrNull('titles', 'v', toUInt64(1))
SELECT dictGetString('titles', 'v', toUInt64(1))
SELECT dictGetString('tariffs', 'v', toUInt64(1), today())
SELECT if(toUInt8(0), nope, 42) FROM readings
SELECT if(CAST(0, 'UInt8'), nope, 42) FROM readings
SELECT if(0::UInt8, nope, 42) FROM readings
SELECT if(1 = 1, 42, nope) FROM readings
SELECT if(1 = 0, nope, 42) FROM readings
SELECT if(not 1, nope, 42) FROM readings
SELECT if(NULL, nope, 42) FROM readings
SELECT if(length('') = 0, 42, nope) FROM readings
SELECT if(toBool(0), nope, 42) FROM readings
SELECT if(true, 42, nope) FROM readings
SELECT if('a' = 'b', nope, 42) FROM readings
SELECT if(isNull(1), nope, 42) FROM readings
SELECT multiIf(1 = 0, nope, 1, value, 3) FROM readings
SELECT CASE WHEN 1 = 0 THEN nope ELSE 1 END FROM readings
SELECT 0 AND nope FROM readings
SELECT value FROM readings WHERE 0 AND nope
SELECT value FROM readings WHERE 1 OR nope
SELECT value FROM readings WHERE 1 OR value = 'abc'
SELECT value FROM readings WHERE 0 AND throwIf(note)
SELECT IPv6NumToString(client AS k), count() AS c FROM hits GROUP BY k
SELECT toString(user AS k), k, count() FROM hits GROUP BY k
SELECT upper(url) AS u, toString(user AS k), count() FROM hits GROUP BY u, k
SELECT toString(user + 1 AS k), count() FROM hits GROUP BY k
SELECT toString(user + 1 AS k), count() FROM hits GROUP BY user + 1
SELECT toString(user AS k), count() FROM hits GROUP BY user
WITH RECURSIVE x AS (SELECT 1 AS id UNION ALL SELECT id+1 FROM y WHERE id < 5), y AS (SELECT 1 AS id UNION ALL SELECT id+1 FROM x WHERE id < 5) SELECT * FROM x
WITH RECURSIVE x AS (SELECT id FROM y), y AS (SELECT id FROM x) SELECT * FROM x
SELECT subcolumns.names FROM system.parts_columns
SELECT 0x123p4, 0x1P10, -0x1p-1022, 0x1.8p1
SELECT -1::String
SELECT -360000::Float32::Time
SELECT - 1::String
SELECT -value::String FROM readings
SELECT -(1::String)
SELECT -1.5::String, -'1'::Int8
SELECT toFixedString('abc', toUInt128(7))
SELECT toFixedString(materialize('abc'), toUInt128(7))
SELECT sum(NULL, 1)
SELECT sum(NULL, NULL, NULL)
SELECT sequenceCount(NULL)
SELECT tokens('a()d', 'splitByString', ['()', '\\'])
SELECT tokens('a()d', 'splitByString', ['()'])
SELECT n.values.id FROM dotted
SELECT n.values FROM dotted
SELECT a.b.c FROM dotted
SELECT * FROM slow_hits(least = 10)
SELECT user FROM slow_hits(least = 10) WHERE ms > 1
SELECT user, nope FROM slow_hits(least = 10)
SELECT * FROM readings INNER ARRAY JOIN tags
SELECT sensor, tag FROM readings INNER ARRAY JOIN tags AS tag
SELECT sensor, tag FROM readings INNER ARRAY JOIN tags AS tag WHERE tag = 'kühl'
SELECT EXTRACT(DOW FROM '2024-01-01')
SELECT EXTRACT(YEAR FROM '2024-01-01')
SELECT EXTRACT(YEAR FROM note) FROM readings
SELECT EXTRACT(DOW FROM taken) FROM readings
SELECT a, b FROM pairs JOIN marks USING ((k))
SELECT a, b FROM pairs JOIN marks USING (k)
SELECT a, b FROM pairs JOIN marks USING k
SELECT a FROM pairs JOIN marks USING ((nope))
SELECT TOP 1 value FROM readings
SELECT value FROM readings LIMIT -1
SELECT value FROM readings LIMIT 5 OFFSET -2
SELECT value FROM readings LIMIT 0.1
SELECT value FROM readings LIMIT 2+3
SELECT value FROM readings WHERE 0 AND value = 'abc'
SELECT value FROM readings WHERE value > 1 OR 1 OR value = 'abc'
SELECT value FROM readings WHERE 1 AND value = 'abc'
SELECT value FROM readings WHERE value = 'abc' AND 0
SELECT value FROM readings WHERE value = 'abc' OR 1
SELECT value FROM readings WHERE 0 AND CAST('x' AS UInt8)
SELECT value FROM readings WHERE 0 AND toDate('x') = day
SELECT value FROM readings WHERE 1 OR lower(1) = 'a'
SELECT taken, value AS v FROM readings ORDER BY taken WITH FILL INTERPOLATE (v AS v + 1)
SELECT taken, value AS v FROM readings ORDER BY taken WITH FILL INTERPOLATE (v AS nope + 1)
SELECT taken, value AS v FROM readings ORDER BY taken WITH FILL INTERPOLATE (v)
SELECT taken, value AS v FROM readings ORDER BY taken WITH FILL INTERPOLATE (v AS battery)
SELECT taken, value AS v FROM readings ORDER BY taken WITH FILL INTERPOLATE
SELECT taken, value AS v FROM readings ORDER BY v WITH FILL STEP 2 INTERPOLATE (v AS v + 1)
SELECT battery + 1, substring(note, 1, battery) FROM readings
SELECT toStartOfInterval(paid_at, INTERVAL 1 DAY) FROM sales
SELECT formatDateTime(shipped_at, '%Y-%m') FROM orders
SELECT dateDiff('day', shipped_at, created_at) FROM orders
SELECT if(battery > 5, 'a', 1) FROM readings
SELECT toDecimal64(ltv, 2) FROM customers
SELECT battery = 'abc' FROM readings
SELECT ltv IN (1, 'a') FROM customers
SELECT coupon = 'x', coupon IN ('a', 'b') FROM sales
SELECT shipped_at > '2024-01-01', shipped_at > 'abc' FROM orders
SELECT email = 1 FROM people
SELECT email LIKE 5 FROM people
SELECT concat(email, 1) FROM people
SELECT splitByChar(',', email) FROM people
SELECT splitByChar(',', assumeNotNull(email)) FROM people
SELECT toYear(birthday), toMonth(shipped_at) FROM customers, orders
SELECT arrayMap(x -> x + 1, scores) FROM people
SELECT sumIf(ltv, ltv > 0), avgIf(ltv, segment = 'smb') FROM customers
SELECT countIf(email) FROM people
SELECT countIf(manager) FROM people
SELECT topK(10)(url), topK(0)(url) FROM hits
SELECT groupArray(10)(url) FROM hits
SELECT groupArray(0)(url) FROM hits
SELECT groupArray('a')(url) FROM hits
SELECT windowFunnel(3600)(at, url = 'a', url = 'b') FROM hits
SELECT windowFunnel('a')(at, url = 'a', url = 'b') FROM hits
SELECT COLUMNS('^t') FROM sales
SELECT ip = '9.1.1.1' FROM page_events
SELECT arrayReduce('nope', qtys), arrayReduce('sum', qtys) FROM sales
SELECT arrayReduce('quantile(0.5)', qtys) FROM sales
SELECT a + 1 AS b, b + 1 AS a FROM readings
SELECT a + 1 AS a FROM pairs
SELECT EXTRACT(DOY FROM '2024-01-01')
SELECT EXTRACT(WEEK FROM '2024-01-01')
SELECT EXTRACT(DAY FROM '2024-01-01')
SELECT EXTRACT(ISODOW FROM '2024-01-01')
SELECT EXTRACT(ISOYEAR FROM '2024-01-01')
SELECT EXTRACT(EPOCH FROM '2024-01-01')
SELECT EXTRACT(QUARTER FROM '2024-01-01')
SELECT EXTRACT(HOUR FROM '2024-01-01')
SELECT EXTRACT(DECADE FROM '2024-01-01')
SELECT EXTRACT(CENTURY FROM '2024-01-01')
SELECT EXTRACT(MILLENNIUM FROM '2024-01-01')
SELECT EXTRACT(DOW FROM note) FROM readings
SELECT EXTRACT(DOW FROM value) FROM readings
SELECT EXTRACT(WEEK FROM day) FROM readings
SELECT EXTRACT(EPOCH FROM day) FROM readings
SELECT a, b FROM pairs JOIN marks USING ((k, k))
SELECT toFloat64(number) % 30 AS sample, 0 AS variant FROM numbers(3)
SELECT number AS sample FROM numbers(3)
SELECT number sample FROM numbers(3)
SELECT sample, 1 FROM (SELECT 1 AS sample)
SELECT studentTTest(sample, variant) AS result FROM (SELECT toFloat64(number) % 30 AS sample, 0 AS variant FROM system.numbers LIMIT 5 UNION ALL SELECT toFloat64(number) AS sample, 1 AS variant FROM system.numbers LIMIT 5)
SELECT roundBankers(result.1, 5) FROM (SELECT studentTTest(sample, variant) AS result FROM (SELECT 1 AS sample, 0 AS variant))
SELECT avg(sample) FROM (SELECT 1 AS sample)
SELECT sample FROM (SELECT 1 AS sample) WHERE sample > 0 ORDER BY sample
SELECT final, 1 FROM (SELECT 1 AS final)
SELECT offset, 1 FROM (SELECT 1 AS offset)
SELECT format, 1 FROM (SELECT 1 AS format)
SELECT settings, 1 FROM (SELECT 1 AS settings)
SELECT key, value, date, time, type, status, order_id AS order FROM (SELECT 1 AS key, 2 AS value, 3 AS date, 4 AS time, 5 AS type, 6 AS status, 1 AS order_id)
SELECT sum(final) FROM (SELECT 1 AS final)
SELECT sum(rank), max(window), any(range), any(rows), any(fill), any(step), any(top), any(ttl) FROM (SELECT 1 AS rank, 2 AS window, 3 AS range, 4 AS rows, 5 AS fill, 6 AS step, 7 AS top, 8 AS ttl)
SELECT sum(left), max(right), any(inner), any(group), any(index), any(any), any(first), any(last) FROM (SELECT 1 AS left, 2 AS right, 3 AS inner, 4 AS group, 5 AS index, 6 AS any, 7 AS first, 8 AS last)
SELECT sum(interval), max(case), any(array), any(map), any(table), any(values), any(view), any(end) FROM (SELECT 1 AS interval, 2 AS case, 3 AS array, 4 AS map, 5 AS table, 6 AS values, 7 AS view, 8 AS end)
SELECT level, log, partition, current, filter, with_ FROM (SELECT 1 AS level, 2 AS log, 3 AS partition, 4 AS current, 5 AS filter, 6 AS with_)
SELECT p.level, p.partition, p.filter FROM (SELECT 1 AS level, 2 AS log, 3 AS partition, 4 AS current, 5 AS filter, 6 AS with_) AS p
SELECT anti, semi, asof, prewhere, global FROM (SELECT 1 AS anti, 2 AS semi, 3 AS asof, 4 AS prewhere, 5 AS global)
SELECT * FROM (SELECT * WHERE dummy GLOBAL IN (SELECT 0))
SELECT * WHERE dummy IN (SELECT 0)
SELECT * FROM (SELECT * WHERE dummy = 0)
SELECT * FROM (SELECT *)
SELECT dummy FROM (SELECT *)
SELECT *
SELECT count(*) FROM (SELECT 1)
SELECT round(round(NULL), 1, 2)
SELECT sum(toUInt8(NULL), 1)
SELECT if(rand() % 2, floo(1), 2)
SELECT if(now() > toDateTime(0), 2, floo(1))
SELECT if(generateUUIDv4() = toUUID('00000000-0000-0000-0000-000000000000'), floo(1), 2)
SELECT if(version() = 'x', floo(1), 2)
SELECT if(empty(''), 2, floo(1))
SELECT if(materialize(1), 2, floo(1))
SELECT if(today() > '2020-01-01', 2, floo(1))
SELECT if(rowNumberInAllBlocks(), 2, floo(1))
SELECT ms FROM hits ARRAY JOIN (SELECT topics FROM hits LIMIT 1) AS _a
SELECT max(ms) AS ms, any(ms) FROM hits SETTINGS prefer_column_name_to_alias = 1
SELECT max(ms) AS ms, any(ms) FROM hits
SELECT trim(LEADING 'a' FROM url) FROM hits
SELECT EXTRACT(DAY FROM at) d, d FROM hits
SELECT any(ms), max(ms) AS ms FROM hits
SELECT max(ms) AS ms, any(ms) AS x FROM hits
SELECT sum(ms) AS ms, avg(ms) AS a FROM hits
SELECT avg(ms) AS a, sum(ms) AS ms FROM hits
SELECT sum(ms) AS ms, avg(ms) AS a FROM hits GROUP BY user
SELECT user, sum(ms) AS ms, avg(ms) AS a FROM hits GROUP BY user HAVING avg(ms) > 1
SELECT sum(ms) AS ms FROM hits HAVING avg(ms) > 1
SELECT sum(ms) AS ms FROM hits ORDER BY avg(ms)
SELECT user, sum(ms) AS ms FROM hits GROUP BY user ORDER BY sum(ms)
SELECT user, sum(ms) AS ms FROM hits WHERE ms > 1 GROUP BY user
SELECT user, sum(ms) AS ms, sum(ms) / count() AS r FROM hits GROUP BY user
SELECT user, sum(hits.ms) AS ms, sum(hits.ms) / count() AS r FROM hits GROUP BY user
SELECT user, count() AS user FROM hits GROUP BY user
SELECT max(ms) AS ms, any(ms) FROM (SELECT ms FROM hits)
SELECT max(at) AS at, min(at) AS first FROM hits
SELECT arrayReduce('sum', qtys), arrayReduce('sumIf', qtys, [1]), arrayReduce('quantile(0.5)', qtys), arrayReduce('uniqExactState', qtys), arrayReduce('SUM', qtys), arrayReduce('median', qtys) FROM sales
SELECT arrayReduce('lower', qtys) FROM sales
SELECT arrayReduceInRanges('sum', [(1, 2)], qtys), initializeAggregation('sumState', ms) FROM sales, hits
SELECT nope + 1 AS nope FROM pairs
SELECT x AS y, y AS x FROM (SELECT 1 AS x)
SELECT k + 1 AS k, k * 2 AS a FROM pairs
SELECT c AS d, a + 1 AS c FROM pairs
SELECT c AS d, (SELECT max(b) FROM marks) AS c FROM pairs
SELECT q.c AS c FROM (SELECT 1 AS c) AS q
SELECT a AS b FROM pairs WHERE b > 1 ORDER BY b
WITH a + 1 AS z SELECT z, z * 2 AS y FROM pairs
SELECT arrayMap(x -> x + 1, [1]) AS x
SELECT arrayMap(y -> y + z, [1]) AS y, 1 AS z
SELECT sum(a) AS s, s / t AS r, count() AS t FROM pairs
SELECT number AS number FROM numbers(3)
SELECT pairs.a AS a, a AS z FROM pairs
SELECT a.k FROM pairs a ASOF JOIN marks b ON a.k > b.k
SELECT a.k FROM pairs a ASOF JOIN marks b ON a.a = b.b AND a.k > b.k
SELECT a.k FROM pairs a ASOF LEFT JOIN marks b ON a.k >= b.k
SELECT k FROM pairs a ASOF JOIN (SELECT k, a FROM pairs) b USING (a, k)
SELECT a.k FROM pairs a ASOF INNER JOIN marks b ON a.a = b.b AND a.k > b.k
SELECT taken > '2024-13-45' FROM readings
SELECT day = '2024-13-45' FROM readings
SELECT * FROM hits WHERE at >= '2024-02-30'
SELECT toDate('2024-13-45')
SELECT toDateTime('2024-01-01 25:00:00')
SELECT * FROM hits WHERE at >= '2024-01-01 25:00:00'
SELECT * FROM sales WHERE ordered >= '01/02/2024'
SELECT * FROM hits WHERE at >= 'today'
SELECT * FROM hits WHERE at >= '2024'
SELECT * FROM hits WHERE at >= '2024-01'
SELECT NOT (1, 2)
SELECT NOT ((1,))
SELECT url FROM hits ORDER BY url LIMIT 5 WITH TIES
SELECT count(ms, ) FROM hits
SELECT (1, )
SELECT 1 IN (1, )
SELECT map('a', 1, )
SELECT user, FROM hits
SELECT count() FROM hits GROUP BY user,
SELECT user FROM hits ORDER BY user,
SELECT * FROM numbers(3, )
SELECT arrayMap((x, y,) -> x, [1], [2])
WITH 1 AS a, SELECT a
SELECT count(DISTINCT user, ) FROM hits
SELECT if(1, 2, 3, )
SELECT row_number(ms, ) OVER () FROM hits
SELECT sumMap(ms) FROM hits
SELECT sumMap(params) FROM hits
SELECT sumMap(limits) FROM people
SELECT sumMap(mapKeys(limits), mapValues(limits)) FROM people
SELECT sumMap((mapKeys(limits), mapValues(limits))) FROM people
SELECT minMap(ms) FROM hits
SELECT avgMap(limits), avgMap(ms) FROM people, hits
SELECT url FROM hits LIMIT '5'
SELECT url FROM hits LIMIT toUInt8(5)
SELECT (1, 2) + (3, 4), (1, 2) * 2, (1, 2) = (1, 2), (1, 'a') = ('1', 'b'), -(1, 2)
SELECT value * (1, 2) FROM readings
SELECT value = (1, 2) FROM readings
SELECT (value, 1) IN ((1, 2)), (value, sensor) IN ((1, 'a'), (2, 'b')), (value, 1) = (1, 2) FROM readings
SELECT (user, ms) IN (SELECT user, ms FROM hits) FROM hits
SELECT (user, ms) IN (SELECT (user, ms) FROM hits) FROM hits
SELECT (1, 2) = (SELECT 1, 2)
SELECT tuple(1, 2) = (1, 2), (1, 2).1, (1, 'a').2 || 'x'
SELECT lower((1, 2)), length((1, 2)), toString((1, 2))
SELECT max((ms, url)), argMax((url, ms), at) FROM hits
SELECT (url, ms) > ('a', 5), (url, ms) > (5, 'a') FROM hits
SELECT arrayMap(x -> (x, 1), [1]), arraySort(x -> (x, 1), [1]), [(1, 'a'), (2, 'b')], (1, [2]) FROM hits
SELECT if(1, (1, 2), (3, 4)), coalesce((1, 2), (3, 4)), (1, 2) AS p, p.1 + 1
SELECT count() FROM hits WHERE (user, ms) NOT IN ((1, 2))
SELECT count() FROM hits WHERE (user) = 1 AND (ms, user) < (1, 2)
SELECT count() FROM hits GROUP BY (user, ms)
SELECT count() FROM hits ORDER BY (user, ms)
SELECT (user, ms) AS k, count() FROM hits GROUP BY k ORDER BY k
SELECT sum((1, 2)), sum((ms, user)) FROM hits
SELECT lat FROM (SELECT (place.lat, place.lon) AS p, p.1 AS lat FROM readings)
SELECT pointInPolygon((1, 2), [(0, 0), (1, 1), (2, 0)]), geoDistance(1, 2, 3, 4), dotProduct((1, 2), (3, 4)), L2Norm((1, 2))
SELECT CAST((1, 2) AS Tuple(UInt8, String)), (1, 2)::Tuple(a UInt8, b UInt8), tupleElement((1, 2), 1), untuple((1, 2))
SELECT mapFromArrays(['a'], [1]), map('a', (1, 2)), arrayZip([1], [2]), groupArray((user, ms)) FROM hits
SELECT quantile(-1)(ms), quantile(0.5)(ms), quantile(ms) FROM hits
SELECT quantile(1)(ms), quantile(0)(ms), quantile(0.999)(ms), quantile(1.0)(ms) FROM hits
SELECT quantile('a')(ms) FROM hits
SELECT quantileIf(2)(ms, is_bot), quantileExact(3)(ms) FROM hits
SELECT quantileExact(3)(ms) FROM hits
SELECT quantiles(0.5, 2)(ms) FROM hits
SELECT quantilesIf(0.5, 0.9)(ms, is_bot) FROM hits
SELECT median(ms), quantileTDigest(0.99)(ms), quantileTiming(0.5)(ms) FROM hits
SELECT topK(3)(url), topKWeighted(5)(url, ms), groupArray(10)(url), groupUniqArray(100)(url), groupArraySample(3)(url) FROM hits
SELECT windowFunnel(3600)(at, url = 'a', url = 'b'), sequenceMatch('(?1)(?2)')(at, url = 'a', url = 'b'), retention(url = 'a', url = 'b') FROM hits
SELECT histogram(10)(ms), sparkbar(10)(user, ms), uniqUpTo(5)(url), uniqCombined(15)(url), exponentialMovingAverage(3600)(ms, toUnixTimestamp(at)) FROM hits
SELECT groupArrayMovingAvg(7)(ms), groupArrayMovingSum(3)(ms), groupArrayInsertAt('', 5)(url, version), groupConcat(', ')(url), groupConcat(', ', 3)(url) FROM hits
SELECT largestTriangleThreeBuckets(10)(user, ms), studentTTest(0.95)(ms, version), mannWhitneyUTest('two-sided', 1)(ms, version), kolmogorovSmirnovTest('less', 'exact')(ms, version) FROM hits
SELECT windowFunnel(3600, 'strict_order')(at, url = 'a', url = 'b'), stochasticLinearRegression(0.1, 0.0, 5, 'SGD')(ms, user) FROM hits
SELECT TOP -1 user FROM hits
SELECT TOP (1) user FROM hits
SELECT TOP (2) WITH TIES user FROM hits ORDER BY user
SELECT DISTINCT TOP (2) user FROM hits
SELECT TOP 2, user FROM hits
SELECT * REPLACE STRICT ms + 1 AS ms FROM hits
SELECT hits.* REPLACE STRICT (ms + 1 AS ms, 2 AS user) FROM hits
SELECT * EXCEPT STRICT ms FROM hits
SELECT COLUMNS(user, ms) EXCEPT ms FROM hits
SELECT COLUMNS(user, ms) REPLACE (ms + 1 AS ms) EXCEPT (ms) FROM hits
SELECT trim(LEADING 'a' AS side FROM 'abca' AS whole), side, whole
SELECT EXTRACT(DAY FROM toDate('2019-05-05') AS day), day
SELECT substring('abc' AS whole FROM 2 AS begins FOR 1 AS length), begins, length
SELECT cast(('1234' AS digits) AS number AS UInt32), number
SELECT cast('1234' AS digits, 'UInt32'), digits
SELECT cast('1234' AS digits AS Nosuch), digits
SELECT repeat('a', ALL) FROM (SELECT number AS ALL FROM numbers(10))
SELECT sum(DISTINCT) FROM (SELECT 1 AS DISTINCT)
SELECT sum(ALL), 1 FROM (SELECT 1 AS ALL)
SELECT ALL FROM (SELECT 1 AS ALL)
SELECT k FROM pairs AS all WHERE all.k = 1
SELECT from FROM (SELECT 1 AS from)
SELECT limit, window FROM (SELECT 1 AS limit, 2 AS window) WHERE limit > 1 LIMIT 1
WITH values AS (SELECT 1 AS x) SELECT x FROM values
WITH join AS (SELECT 1 AS x) SELECT join.x FROM join JOIN pairs ON join.x = pairs.k
WITH select AS (SELECT 1 AS x) SELECT x FROM select
SELECT values.x FROM (SELECT 1 AS x) AS values
SELECT k FROM pairs JOIN ON k = 1
SELECT k FROM WHERE k = 1
SELECT toString('a', toString(NULL))
SELECT toString('a', 'UTC')
WITH t AS (SELECT number + shift AS x FROM numbers(5)) SELECT 0 AS shift, x FROM t UNION ALL SELECT 5 AS shift, x FROM t
WITH t AS (SELECT number + shift AS x FROM numbers(5)) SELECT x FROM t WHERE (0 AS shift) = 0
WITH t AS (SELECT number + shift AS x FROM numbers(5)) SELECT x FROM t, (SELECT 1 AS shifted) AS u
SELECT arrayFilter(x -> x = 'a', qtys) FROM sales
SELECT arrayFilter(x -> x = 'a', [1, 2])
SELECT arrayFilter(x -> x IN ('a'), qtys) FROM sales
SELECT arrayFilter(x -> at > 'abc', topics) FROM hits
SELECT arrayFilter(x -> arrayExists(y -> y = 'a', [x]), qtys) FROM sales
SELECT transform(manager, ['a'], ['b'], 'c') FROM people
SELECT transform(user, ['a'], ['b'], 'c') FROM people
SELECT transform(manager, [1], [2]) FROM people
SELECT transform(user, [1, NULL], [2, 3], 4) FROM people
SELECT transform(email, ['a', NULL], [2, 3], 4) FROM people
SELECT if(user IS NULL, 'a' + 1, 2) FROM hits
SELECT if(referrer IS NULL, 'a' + 1, 2) FROM hits
SELECT if(user IS NOT NULL, 2, 'a' + 1) FROM hits
SELECT multiIf(isNull(user), toDate('a'), 1) FROM hits
SELECT CASE WHEN user IS NULL THEN 'a' + 1 ELSE 1 END FROM hits
SELECT CASE WHEN referrer IS NULL THEN 'a' + 1 ELSE 1 END FROM hits
SELECT user FROM hits WHERE user IS NULL AND user = 'a'
SELECT user FROM hits WHERE NOT isNull(user) OR user = 'a'
SELECT user FROM hits WHERE referrer IS NULL AND user = 'a'
SELECT toFixedString(url, isNotNull(user)) FROM hits
SELECT toFixedString(url, toTypeName(user) = 'UInt64') FROM hits
SELECT L2DistanceTransposed(1, 2)
SELECT transform(email, ['a', 'b'], ['', NULL]) FROM people
SELECT transform(email, ['a', 'b'], ['', 'c']) FROM people
SELECT 1 SETTINGS max_threads = 1 + 1
SELECT 1 SETTINGS max_threads = [1]
SELECT 1 SETTINGS max_threads > 1
SELECT 1 SETTINGS max_threads = DEFAULT, log_queries
SELECT 1 SETTINGS additional_table_filters = {'t': 'a'}
SELECT url FROM (SELECT url FROM hits SETTINGS max_threads = (1, 2))
SELECT url FROM hits LIMIT toDate('2024-01-01')
SELECT url FROM hits LIMIT toFloat64(1)
SELECT url FROM hits LIMIT 1.0
SELECT url FROM hits LIMIT 0.5
SELECT url FROM hits LIMIT 5.5
SELECT url FROM hits LIMIT toInt128(1)
SELECT url FROM hits LIMIT toNullable(1)
SELECT url FROM hits LIMIT [1]
SELECT url FROM hits LIMIT INTERVAL 1 DAY
SELECT url FROM hits LIMIT 1 OFFSET now()
SELECT url FROM hits LIMIT now() BY url
SELECT url FROM hits LIMIT (SELECT max(ms) FROM hits)
SELECT url FROM hits LIMIT (SELECT toDate('2020-01-01'))
SELECT url FROM hits LIMIT 10 / 2
SELECT extract(url) FROM hits
SELECT extract(url, '(a)'), extract(DAY FROM at), EXTRACT(YEAR FROM at) FROM hits
SELECT date_add(at) FROM hits
SELECT timestamp_add(at) FROM hits
SELECT dateAdd(at, INTERVAL 1 DAY), DATE_SUB(at, INTERVAL 2 HOUR), timestamp_sub(DAY, 1, at) FROM hits
SELECT timestampAdd(at, INTERVAL 1 DAY) FROM hits
SELECT timestampAdd(nosuch, 1, at) FROM hits
SELECT timestampDiff(DAY, at, now()), TIMESTAMPDIFF('day', at, now()) FROM hits
SELECT hits.COLUMNS('nothing') FROM hits
SELECT COLUMNS('nothing') APPLY toString FROM hits
SELECT COLUMNS('url|nothing') FROM hits
SELECT COLUMNS('nothing'), user FROM hits
SELECT user FROM hits ORDER BY user LIMIT 3 WITH TIES
SELECT user FROM hits LIMIT 3 WITH TIES
SELECT user FROM (SELECT user FROM hits LIMIT 3 WITH TIES) ORDER BY user
SELECT day, isNull(value) FROM readings GROUP BY day
SELECT day, isNull(battery) FROM readings GROUP BY day
SELECT sum(value), tags IS NOT NULL FROM readings
SELECT sensor, count() FROM readings GROUP BY 1 ORDER BY 2 DESC LIMIT 3 BY sensor LIMIT 10 OFFSET -1
SELECT * REPLACE (user + now() AS user) EXCEPT (name) FROM people
SELECT transform(toInt32OrNull(status), ['new', 'paid'], ['1-new', '2-paid'], 'other') FROM orders
SELECT arraySum(topics) FROM hits
SELECT arraySum(qtys), arrayAvg(qtys), arrayCumSum(qtys) FROM sales
SELECT arraySum(x -> length(x), topics) FROM hits
SELECT arraySum([1.5, 2]), arrayAvg([1, 2]), arrayDifference([1, 2])
SELECT arraySum(['a'])
SELECT arrayAvg([today()])
SELECT arrayDifference([today(), yesterday()])
SELECT arraySum(mapValues(limits)) FROM people
SELECT arraySum(arrayMap(x -> toString(x), qtys)) FROM sales
SELECT arraySum(JSONExtract(body, 'a', 'Array(Int32)')) FROM hits
SELECT arraySum(items.price), arraySum(items.sku) FROM sales
SELECT arraySum(items.price) FROM sales
SELECT arraySum([NULL, 1])
SELECT arraySum(groupArray(ms)), arrayAvg(groupArray(toFloat64(ms))) FROM hits
SELECT arraySum(groupArray(url)) FROM hits
SELECT arraySum(range(10)), arraySum(arrayEnumerate(topics)) FROM hits
SELECT arraySum([true, false]), arraySum(arrayFilter(x -> x > 1, qtys)) FROM sales
SELECT arraySum(arrayMap((x, y) -> x * y, items.qty, items.price)) FROM sales
SELECT arraySum(arrayMap(x -> x.lat, route)) FROM hits
SELECT arraySum(route.lat) FROM hits
SELECT arraySum([toDecimal32(1, 2)]), arraySum([1, -1]), arraySum([1, 2.5])
SELECT hits.COLUMNS(user, ms) EXCEPT (ms) FROM hits
SELECT hits.COLUMNS(user, ms) APPLY toString FROM hits
SELECT pairs.k FROM pairs JOIN (SELECT 1 AS other) AS m USING (k AS other)
SELECT TIMESTAMPADD(INTERVAL 1 YEAR, DATE '2022-01-01')
-- Clauses, settings, dynamic values, parameters of types, aliases
SELECT count() FROM hits WHERE user IN UNNEST([1])
SELECT count() FROM hits WHERE user IN UNNEST(nosuch)
SELECT count() FROM hits WHERE user NOT IN UNNEST([1, 2])
SELECT count() FROM hits WHERE user IN UNNEST(1)
SELECT count() FROM hits WHERE user IN arrayJoin([1])
SELECT count() FROM hits WHERE user IN tuple(1)
SELECT count() FROM hits WHERE user = ANY ('a')
SELECT count() FROM hits WHERE user = any(user)
SELECT any(user) FROM hits
SELECT count() FROM hits WHERE user = any('a')
SELECT date_part('year', now())
SELECT date_part(year, now())
SELECT date_part(year FROM now())
SELECT TOP 5 user FROM hits LIMIT 3
SELECT TOP 5 user FROM hits OFFSET 3
SELECT TOP 5 user FROM hits LIMIT 1 BY user
SELECT * FROM (SELECT TOP 5 user FROM hits LIMIT 3)
SELECT TOP (5) user FROM hits LIMIT 3
SELECT h.user FROM hits h PASTE JOIN hits g ON h.user = g.user
SELECT h.user FROM hits h PASTE JOIN hits g USING (user)
SELECT h.user FROM hits h PASTE JOIN (SELECT 1 AS a) g USING user
SELECT user FROM hits ARRAY ASOF JOIN topics
SELECT user FROM hits ARRAY PASTE JOIN topics
SELECT user FROM hits ARRAY ANY JOIN topics
SELECT user FROM hits ARRAY LEFT JOIN topics
SELECT user FROM hits LEFT ARRAY JOIN topics
SELECT user FROM hits INNER ARRAY JOIN topics
SELECT user FROM hits RIGHT ARRAY JOIN topics
SELECT user FROM hits ANY ARRAY JOIN topics
SELECT user FROM hits ARRAY SEMI JOIN topics
SELECT user FROM hits ARRAY CROSS JOIN topics
SELECT user FROM hits SETTINGS max_threads = 1 LIMIT 3
SELECT user FROM hits SETTINGS max_threads = 1 LIMIT 5, 10
SELECT user FROM hits SETTINGS max_threads = 1 GROUP BY user
SELECT user FROM hits SETTINGS max_threads = 1 GROUP BY ALL
SELECT user FROM hits SETTINGS max_threads = 1 ORDER BY user
SELECT user FROM hits SETTINGS max_threads = 1 WHERE user = 1
SELECT user FROM hits SETTINGS max_threads = 1 HAVING user = 1
SELECT user FROM hits SETTINGS max_threads = 1 WINDOW w AS (ORDER BY user)
SELECT user FROM hits SETTINGS max_threads = 1 LIMIT 1 BY user
SELECT user FROM hits SETTINGS max_threads = 1 QUALIFY 1
SELECT user FROM hits SETTINGS max_threads = 1 OFFSET 3
SELECT user FROM hits SETTINGS max_threads = 1 FETCH FIRST 3 ROWS ONLY
SELECT user FROM hits FORMAT Null LIMIT 3
SELECT user FROM hits FORMAT Null ORDER BY user
SELECT user FROM hits FORMAT Null WHERE user = 1
SELECT user FROM hits FORMAT Null SETTINGS max_threads = 1
SELECT user FROM hits SETTINGS max_threads = 1 FORMAT Null
SELECT user FROM hits SETTINGS max_threads = 1 SETTINGS max_threads = 2
SELECT user FROM hits SETTINGS max_threads = 1 FORMAT Null SETTINGS max_threads = 2
SELECT user FROM hits FORMAT Null SETTINGS max_threads = 1 LIMIT 3
SELECT user FROM hits FORMAT Null FORMAT Null
SELECT user FROM hits SETTINGS max_threads = 1 UNION ALL SELECT 1
SELECT user FROM hits FORMAT Null UNION ALL SELECT 1
SELECT user FROM (SELECT user FROM hits SETTINGS max_threads = 1 LIMIT 3)
SELECT user FROM hits LIMIT 3 ORDER BY user
SELECT user FROM hits LIMIT 3 WHERE user = 1
SELECT user FROM hits ORDER BY user WHERE user = 1
SELECT user FROM hits WINDOW w AS (ORDER BY user) HAVING 1
SELECT user FROM hits QUALIFY 1 WINDOW w AS (ORDER BY user)
SELECT user FROM hits ORDER BY user WINDOW w AS (ORDER BY user)
SELECT user FROM hits SETTINGS max_threads = ARRAY(1)
SELECT user FROM hits SETTINGS max_threads = 1 + 1
SELECT user FROM hits SETTINGS max_threads = abs(1)
SELECT user FROM hits SETTINGS max_threads = NULL
SELECT user FROM hits SETTINGS max_threads = ''
SELECT user FROM hits SETTINGS max_threads = 'auto'
SELECT user FROM hits SETTINGS max_threads = TRUE
SELECT user FROM hits SETTINGS max_threads
SELECT user FROM hits SETTINGS max_thread
SELECT user FROM hits SETTINGS force_primary_key
SELECT user FROM hits SETTINGS force_primary_key = NULL
SELECT user FROM hits SETTINGS force_primary_key = ''
SELECT user FROM hits SETTINGS force_primary_key = '2024-01-01'
SELECT user FROM hits SETTINGS force_data_skipping_indices = TRUE
SELECT user FROM hits SETTINGS force_data_skipping_indices = 1
SELECT user FROM hits SETTINGS join_algorithm = TRUE
SELECT user FROM hits SETTINGS join_default_strictness = -1
SELECT user FROM hits SETTINGS max_rows_to_read = '2024-01-01'
SELECT user FROM hits SETTINGS max_rows_to_read = [1]
SELECT user FROM hits SETTINGS max_rows_to_read = (1, 2)
SELECT user FROM hits SETTINGS max_rows_to_read = ''
SELECT user FROM hits SETTINGS max_rows_to_read = '10'
SELECT user FROM hits SETTINGS max_rows_to_read = 'a'
SELECT user FROM hits SETTINGS log_comment = TRUE
SELECT user FROM hits SETTINGS log_comment = 5
SELECT user FROM hits SETTINGS log_comment = NULL
SELECT user FROM hits SETTINGS additional_table_filters = {'hits': 'user = 1'}
SELECT ANY(user) FROM hits
SELECT user = ANY(user) FROM hits
SELECT user FROM hits WHERE user = ANY ('a')
SELECT user FROM hits WHERE user = ANY (1)
SELECT user FROM hits WHERE user = ANY (1, 2)
SELECT user FROM hits WHERE user = ANY ([1])
SELECT user FROM hits WHERE user = ANY (topics)
SELECT user FROM hits HAVING user = ANY (user)
SELECT user FROM hits WHERE url LIKE ANY ('a')
SELECT Any(user) FROM hits
SELECT MAX(user) FROM hits
SELECT ANY_VALUE(user) FROM hits
SELECT anyIf(user, 1), ANYIF(user, 1) FROM hits
SELECT DATE_PART('dow', now())
SELECT DATE_PART('doy', now())
SELECT date_part(DAY, now(), 'UTC')
SELECT date_part(DAY, now(), 1, 1)
SELECT user FROM people WHERE name IS NOT DISTINCT FROM 1
SELECT user FROM people WHERE name <=> 1
SELECT user FROM people WHERE name IS NOT DISTINCT FROM user
SELECT user FROM people WHERE name IS NOT DISTINCT FROM email
SELECT user FROM people WHERE joined IS NOT DISTINCT FROM 1
SELECT user FROM people WHERE joined IS DISTINCT FROM born
SELECT user FROM people WHERE user IS DISTINCT FROM NULL
SELECT user FROM people WHERE user IS NOT DISTINCT FROM 'a'
SELECT user FROM people WHERE scores IS NOT DISTINCT FROM [1]
SELECT user FROM people WHERE scores IS NOT DISTINCT FROM 1
SELECT user FROM people WHERE limits IS NOT DISTINCT FROM 1
SELECT user FROM people WHERE limits IS NOT DISTINCT FROM limits
SELECT user FROM people WHERE user IS NOT DISTINCT FROM 1.5
SELECT user FROM people WHERE user <=> joined
SELECT user FROM people WHERE (user, name) <=> (1, 'a')
SELECT user FROM people WHERE (user, name) <=> 1
SELECT id FROM sales WHERE info <=> 1
SELECT id FROM sales WHERE info = 1
SELECT id FROM sales WHERE info = 'a'
SELECT id FROM sales WHERE info.a = 1
SELECT id FROM sales WHERE info.a = [1]
SELECT id FROM sales WHERE info = [1]
SELECT id FROM sales WHERE info = (1, 2)
SELECT id FROM sales WHERE info IN (1)
SELECT id FROM sales WHERE info IN ('a')
SELECT id FROM sales WHERE info IN (SELECT 1)
SELECT id FROM sales WHERE info LIKE 'a'
SELECT id FROM sales WHERE info > 1
SELECT id FROM sales WHERE NOT info
SELECT id FROM sales WHERE info
SELECT id FROM sales ORDER BY info
SELECT info FROM sales GROUP BY info
SELECT sum(info) FROM sales
SELECT max(info) FROM sales
SELECT id, info.a FROM sales ORDER BY info.a
SELECT info.a, count() FROM sales GROUP BY info.a
SELECT info.a, count() FROM sales GROUP BY ALL
SELECT info.a.:Int64, count() FROM sales GROUP BY ALL
SELECT max(info.a) FROM sales
SELECT min(info.a), argMax(id, info.a) FROM sales
SELECT sum(info.a) FROM sales
SELECT avg(info.a) FROM sales
SELECT count(info.a), uniq(info.a), any(info.a), groupArray(info.a) FROM sales
SELECT DISTINCT info.a FROM sales
SELECT id FROM sales ORDER BY [info.a]
SELECT id FROM sales ORDER BY tuple(info.a)
SELECT id FROM sales LIMIT 1 BY info.a
SELECT row_number() OVER (ORDER BY info.a) FROM sales
SELECT row_number() OVER (PARTITION BY info.a) FROM sales
SELECT s.id FROM sales s JOIN sales t ON s.info = t.info
SELECT s.id FROM sales s JOIN people p ON s.info.a > p.user
SELECT s.id FROM sales s JOIN sales t USING (info)
SELECT 1::Dynamic IN (1, 2)
SELECT 1::Variant(UInt8, String) IN (1)
SELECT [1::Dynamic] IN [1]
SELECT id FROM sales WHERE info.a IN (1)
SELECT id FROM sales WHERE info.a IN (SELECT 1)
SELECT info.a::Int64 AS k, count() FROM sales GROUP BY k
SELECT CAST(info.a, 'String') AS k, count() FROM sales GROUP BY k
SELECT 1::Variant(UInt8, String) AS v ORDER BY v
SELECT number::Variant(UInt64, String) AS v FROM numbers(3) ORDER BY v
SELECT number::Dynamic AS v FROM numbers(3) ORDER BY v
SELECT number::Dynamic AS v FROM numbers(3) GROUP BY v
SELECT number::Dynamic AS v FROM numbers(3) ORDER BY ALL
SELECT number::Dynamic AS v FROM numbers(3) ORDER BY 1
SELECT * FROM (SELECT number::Dynamic AS v FROM numbers(3)) ORDER BY ALL
SELECT * FROM (SELECT number::Dynamic AS v FROM numbers(3)) ORDER BY v
SELECT max(number::Dynamic) FROM numbers(3)
SELECT max(number::Variant(UInt64)) FROM numbers(3)
SELECT if(number = 1, 'a', 2) AS v FROM numbers(3) ORDER BY v
SELECT multiIf(number = 1, 'a', 2) AS v FROM numbers(3) ORDER BY v
SELECT [1, 'a'] AS v ORDER BY v
SELECT [number, 'a'] AS v FROM numbers(3) GROUP BY v
SELECT sum(if(number = 1, 'a', 2)) FROM numbers(3)
SELECT max(if(number = 1, 'a', 2)) FROM numbers(3)
SELECT CASE WHEN number = 1 THEN 'a' ELSE 2 END AS v, count() FROM numbers(3) GROUP BY v
SELECT v FROM (SELECT 1 AS v UNION ALL SELECT 'a') ORDER BY v
SELECT coalesce(1, 'a') AS v ORDER BY v
SELECT toString(info.a) FROM sales
SELECT toString(number::Dynamic) FROM numbers(3)
SELECT toNullable(info.a) FROM sales
SELECT sum(number::Dynamic) FROM numbers(3)
SELECT nullIf(info.a, 1) FROM sales
SELECT sumIf(info.a, 1) FROM sales
SELECT maxIf(info.a, 1) FROM sales
SELECT maxState(info.a) FROM sales
SELECT max(tuple(info.a)) FROM sales
SELECT max([info.a]) FROM sales
SELECT quantile(0.5)(info.a) FROM sales
SELECT lag(info.a) OVER () FROM sales
SELECT info.a AND 1 FROM sales
SELECT id FROM sales WHERE info.a
SELECT id FROM sales WHERE NOT info.a
SELECT range(info.a) FROM sales
SELECT -info.a FROM sales
SELECT info.a + 1 FROM sales
SELECT session::LowCardinality(UInt8) FROM hits SETTINGS allow_suspicious_low_cardinality_types = 1
SELECT toLowCardinality(user) FROM hits
SELECT toLowCardinality(ms) FROM hits
SELECT JSONExtract(body, 'LowCardinality(UInt8)') FROM hits
SELECT JSONExtract(body, 'a', 'Tuple(a LowCardinality(UInt8))') FROM hits
SELECT demangle(body) FROM hits
SELECT addressToLine(user) FROM hits
SELECT addressToSymbol(user) FROM hits
SELECT addressToLineWithInlines(user) FROM hits
SELECT tid()
SELECT timeSeriesDeltaToGridIf(10, 120, 10, 60)(at, ms, 1) FROM hits
SELECT timeSeriesDeltaToGrid(10, 120, 10, 60)(at, ms) FROM hits
SELECT sequenceNextNodeIf('forward', 'head')(at, url, 1, 1) FROM hits
SELECT lambda(1) FROM (SELECT 1)
WITH x -> x + 1 AS f, x -> x + 2 AS f SELECT f(1)
SELECT 10 AS a, a + 1 AS a
SELECT 1 AS a, 2 AS a
SELECT 1 AS a, 1 AS a
WITH 10 AS a SELECT a AS a
SELECT user AS a, ms AS a FROM hits
SELECT user AS a, a AS b, ms AS a FROM hits
SELECT _part FROM spans
SELECT _part FROM hits
SELECT _partition_id FROM hits
SELECT _row_exists FROM hits
SELECT _part_offset FROM spans
SELECT _table, _database FROM spans
SELECT _table FROM noisy
SELECT _sample_factor FROM hits
SELECT _block_number FROM hits
SELECT _path FROM hits
SELECT _file FROM hits
SELECT _size FROM hits
SELECT _time FROM hits
SELECT _etag FROM hits
SELECT _shard_num FROM hits
SELECT _disk_name FROM hits
SELECT _part_index FROM hits
SELECT _part_uuid FROM hits
SELECT _part_starting_offset FROM hits
SELECT _part_data_version FROM hits
SELECT _part_granule_offset FROM hits
SELECT _block_offset FROM hits
SELECT _table FROM numbers(3)
SELECT _part FROM numbers(3)
SELECT h._part FROM hits h
SELECT _part FROM hits h JOIN spans s ON h.user = s.id
SELECT dummy FROM hits
SELECT dummy FROM system.one
SELECT dummy
SELECT _part FROM (SELECT * FROM hits)
SELECT max(user) AS a, MAX(user) AS a FROM hits
SELECT user+1 AS a, (user + 1) AS a FROM hits
SELECT h.user + 1 AS a, user + 1 AS a FROM hits h
SELECT h.user AS a, g.user AS a FROM hits h JOIN hits g ON h.ms = g.ms
WITH 1 AS a SELECT 1 AS a
WITH 1 AS a SELECT a AS a
WITH ms AS a SELECT user AS a FROM hits
WITH (SELECT 1) AS a SELECT a AS a
WITH t AS (SELECT 1 AS a) SELECT a AS t FROM t
SELECT dummy FROM (SELECT 1)
SELECT dummy FROM (SELECT dummy)
SELECT 1 AS dummy, dummy + 1
SELECT user, dummy FROM hits ARRAY JOIN topics
SELECT count() FROM hits WHERE dummy = 1
SELECT NOT dummy
SELECT dateAdd(DAY, 1 a1, toDate('2019-05-05') a2), a1, a2
SELECT dateSub(DAY, 1 a1, toDate('2019-05-05') a2), a1, a2
SELECT position('123' a1, '1234' a2), a1, a2
SELECT substring('hello' a1, 1 a2, 2 a3), a1, a2, a3
SELECT CAST(1 a1, 'String'), a1
SELECT dateDiff('day', now() a1, now() a2), a1, a2
SELECT extract('abc' a1, 'b' a2), a1
SELECT dateAdd(DAY, 1, toDate('2019-05-05') + INTERVAL 3 DAY)
SELECT trim('a' a1), a1
SELECT count() FROM hits ARRAY JOIN (SELECT nosuch FROM hits LIMIT 1) AS t
SELECT match(topics, 'a') FROM hits ARRAY JOIN COLUMNS('^top')
SELECT topics = 'a', route.1 FROM hits ARRAY JOIN COLUMNS('topics|route')
SELECT count(), * APPLY sum FROM pairs
SELECT count(), COLUMNS('a') APPLY(sum) FROM pairs
SELECT * APPLY(sum) FROM pairs
WITH x -> x + 1 AS f, x -> x + 1 AS f SELECT f(1)
WITH 1 AS f, 2 AS f SELECT f
SELECT CAST(session AS LowCardinality(UInt8)) FROM hits
SELECT CAST(session, 'LowCardinality(UInt8)') FROM hits
SELECT CAST(session AS LowCardinality(Date)) FROM hits
SELECT CAST(session, 'LowCardinality(Date)') FROM hits
SELECT CAST(session AS LowCardinality(UUID)) FROM hits
SELECT CAST(session, 'LowCardinality(UUID)') FROM hits
SELECT CAST(session AS LowCardinality(IPv4)) FROM hits
SELECT CAST(session, 'LowCardinality(IPv4)') FROM hits
SELECT CAST(session AS LowCardinality(FixedString(3))) FROM hits
SELECT CAST(session, 'LowCardinality(FixedString(3))') FROM hits
SELECT CAST(session AS LowCardinality(Nullable(Int8))) FROM hits
SELECT CAST(session, 'LowCardinality(Nullable(Int8))') FROM hits
SELECT CAST(session AS LowCardinality(Nullable(String))) FROM hits
SELECT CAST(session, 'LowCardinality(Nullable(String))') FROM hits
SELECT CAST(session AS LowCardinality(DateTime64(3))) FROM hits
SELECT CAST(session, 'LowCardinality(DateTime64(3))') FROM hits
SELECT CAST(session AS LowCardinality(Array(String))) FROM hits
SELECT CAST(session, 'LowCardinality(Array(String))') FROM hits
SELECT CAST(session AS LowCardinality(Enum8('a' = 1))) FROM hits
SELECT CAST(session, 'LowCardinality(Enum8(\'a\' = 1))') FROM hits
SELECT CAST(session AS Array(LowCardinality(UInt8))) FROM hits
SELECT CAST(session, 'Array(LowCardinality(UInt8))') FROM hits
SELECT CAST(session AS Nullable(Array(String))) FROM hits
SELECT CAST(session, 'Nullable(Array(String))') FROM hits
SELECT CAST(session AS Nullable(LowCardinality(String))) FROM hits
SELECT CAST(session, 'Nullable(LowCardinality(String))') FROM hits
SELECT CAST(session, 'Nullable(Nullable(String))') FROM hits
SELECT CAST(session AS Nullable(Decimal(9, 2))) FROM hits
SELECT CAST(session, 'Nullable(Decimal(9, 2))') FROM hits
SELECT CAST(session AS Array()) FROM hits
SELECT CAST(session, 'Array()') FROM hits
SELECT CAST(session AS Array(String, String)) FROM hits
SELECT CAST(session, 'Array(String, String)') FROM hits
SELECT CAST(session AS Array(Nullable(String))) FROM hits
SELECT CAST(session, 'Array(Nullable(String))') FROM hits
SELECT CAST(session AS FixedString) FROM hits
SELECT CAST(session, 'FixedString') FROM hits
SELECT CAST(session AS FixedString(0)) FROM hits
SELECT CAST(session, 'FixedString(0)') FROM hits
SELECT CAST(session AS FixedString(257)) FROM hits
SELECT CAST(session, 'FixedString(257)') FROM hits
SELECT CAST(session AS FixedString(300)) FROM hits
SELECT CAST(session, 'FixedString(300)') FROM hits
SELECT CAST(session AS FixedString(8)) FROM hits
SELECT CAST(session, 'FixedString(8)') FROM hits
SELECT CAST(session AS Decimal) FROM hits
SELECT CAST(session, 'Decimal') FROM hits
SELECT CAST(session AS Decimal(9)) FROM hits
SELECT CAST(session, 'Decimal(9)') FROM hits
SELECT CAST(session AS Decimal(77, 2)) FROM hits
SELECT CAST(session, 'Decimal(77, 2)') FROM hits
SELECT CAST(session AS Decimal(0, 0)) FROM hits
SELECT CAST(session, 'Decimal(0, 0)') FROM hits
SELECT CAST(session AS Decimal(9, 10)) FROM hits
SELECT CAST(session, 'Decimal(9, 10)') FROM hits
SELECT CAST(session AS Decimal(9, 9)) FROM hits
SELECT CAST(session, 'Decimal(9, 9)') FROM hits
SELECT CAST(session AS Decimal32) FROM hits
SELECT CAST(session, 'Decimal32') FROM hits
SELECT CAST(session AS Decimal32(10)) FROM hits
SELECT CAST(session, 'Decimal32(10)') FROM hits
SELECT CAST(session AS Decimal32(9)) FROM hits
SELECT CAST(session, 'Decimal32(9)') FROM hits
SELECT CAST(session AS Decimal64(19)) FROM hits
SELECT CAST(session, 'Decimal64(19)') FROM hits
SELECT CAST(session AS DateTime64(10)) FROM hits
SELECT CAST(session, 'DateTime64(10)') FROM hits
SELECT CAST(session AS DateTime64(9)) FROM hits
SELECT CAST(session, 'DateTime64(9)') FROM hits
SELECT CAST(session AS DateTime64(3, 'UTC')) FROM hits
SELECT CAST(session, 'DateTime64(3, \'UTC\')') FROM hits
SELECT CAST(session AS DateTime('UTC')) FROM hits
SELECT CAST(session, 'DateTime(\'UTC\')') FROM hits
SELECT CAST(session AS Date(3)) FROM hits
SELECT CAST(session, 'Date(3)') FROM hits
SELECT CAST(session AS Bool(1)) FROM hits
SELECT CAST(session, 'Bool(1)') FROM hits
SELECT CAST(session AS UInt8(3)) FROM hits
SELECT CAST(session, 'UInt8(3)') FROM hits
SELECT CAST(session AS VARCHAR(3)) FROM hits
SELECT CAST(session, 'VARCHAR(3)') FROM hits
SELECT CAST(session AS INT(11)) FROM hits
SELECT CAST(session, 'INT(11)') FROM hits
SELECT CAST(session AS UUID(1)) FROM hits
SELECT CAST(session, 'UUID(1)') FROM hits
SELECT CAST(session AS Variant(UInt8, Int8)) FROM hits
SELECT CAST(session, 'Variant(UInt8, Int8)') FROM hits
SELECT CAST(session AS Variant(UInt8, String)) FROM hits
SELECT CAST(session, 'Variant(UInt8, String)') FROM hits
SELECT CAST(session, 'Variant(String, FixedString(3))') FROM hits
SELECT CAST(session, 'Variant(String, LowCardinality(String))') FROM hits
SELECT CAST(session AS Variant(Date, DateTime)) FROM hits
SELECT CAST(session, 'Variant(Date, DateTime)') FROM hits
SELECT CAST(session AS Variant(Date, UInt8)) FROM hits
SELECT CAST(session, 'Variant(Date, UInt8)') FROM hits
SELECT CAST(session AS Variant(Array(String), String)) FROM hits
SELECT CAST(session, 'Variant(Array(String), String)') FROM hits
SELECT CAST(session AS Variant(UUID, String)) FROM hits
SELECT CAST(session, 'Variant(UUID, String)') FROM hits
SELECT CAST(session, 'Variant(Nullable(String), UInt8)') FROM hits
SELECT CAST(session AS Tuple(String, LowCardinality(UInt8))) FROM hits
SELECT CAST(session, 'Tuple(String, LowCardinality(UInt8))') FROM hits
SELECT CAST(session AS Map(Nullable(String), String)) FROM hits
SELECT CAST(session, 'Map(Nullable(String), String)') FROM hits
SELECT CAST(session AS Map(String)) FROM hits
SELECT CAST(session, 'Map(String)') FROM hits
SELECT CAST(session AS JSON(max_dynamic_paths=3)) FROM hits
SELECT CAST(session, 'JSON(max_dynamic_paths=3)') FROM hits
-- Kinds of arguments, time zones, ASOF JOIN, attributes, amounts
SELECT user FROM hits WHERE concat(user, 'a') = 1
SELECT user FROM hits WHERE concat(url, 'a') = 1
SELECT user FROM hits WHERE concat(country, 'a') = 1
SELECT user FROM people WHERE concat(email, 'a') = 1
SELECT user FROM people WHERE toString(user) = 1
SELECT user FROM people WHERE name || 'a' = 1
SELECT intDiv(user, 'a') FROM hits
SELECT intDiv(user, '2024-01-01') FROM hits
SELECT intDiv(user, url) FROM hits
SELECT intDiv(toDate(at), 50) FROM hits
SELECT intDiv(at, 50) FROM hits
SELECT modulo(user, 'a') FROM hits
SELECT DATE_SUB(user, INTERVAL 1 DAY) FROM hits
SELECT DATE_ADD(user, INTERVAL 1 DAY) FROM hits
SELECT DATE_SUB(client, INTERVAL 1 DAY) FROM hits
SELECT DATE_SUB(topics, INTERVAL 1 DAY) FROM hits
SELECT DATE_SUB(url, INTERVAL 1 DAY) FROM hits
SELECT date_sub(DAY, 1, user) FROM hits
SELECT user - INTERVAL 1 DAY FROM hits
SELECT ms - INTERVAL 1 DAY FROM hits
SELECT is_bot - INTERVAL 1 DAY FROM hits
SELECT length(DATE_SUB(at, INTERVAL 1 DAY)) FROM hits
SELECT upper(at - INTERVAL 1 DAY) FROM hits
SELECT user.1 FROM hits
SELECT url.1 FROM hits
SELECT country.1 FROM hits
SELECT at.1 FROM hits
SELECT topics.1 FROM hits
SELECT utm.1, utm.3 FROM hits
SELECT user.name FROM hits
SELECT h.user.1 FROM hits h
SELECT u.1 FROM (SELECT user AS u FROM hits)
SELECT (user, ms).1, (user, ms).3 FROM hits
SELECT toTypeName(user).a FROM hits
SELECT tupleElement(user, 1) FROM hits
SELECT tupleElement(utm, 'nosuch') FROM hits
SELECT tupleElement(utm, at) FROM hits
SELECT if(-ms, 1, 0) FROM hits
SELECT if(ms, 1, 0) FROM hits
SELECT if(version, 1, 0) FROM hits
SELECT if(user, 1, 0) FROM hits
SELECT CASE WHEN ms THEN 1 END FROM hits
SELECT CASE WHEN url THEN 1 END FROM hits
SELECT multiIf(ms, 1, 0) FROM hits
SELECT user REGEXP 'a' FROM hits
SELECT match(user, 'a') FROM hits
SELECT ms REGEXP 'a' FROM hits
SELECT toFixedString(user, 10) FROM hits
SELECT toUUID(1), toIPv6(-1)
SELECT toDate((1, 2))
SELECT toDate([1])
SELECT toUInt32([1])
SELECT toUInt64((1, 2))
SELECT toDateTime((1, 2))
SELECT toString((1, 2)), toString([1])
SELECT max(x -> x + 1) FROM hits
SELECT length(x -> x + 1)
SELECT hasToken(x -> x + 1, 'foo')
SELECT has(x -> x + 1, 'abc')
SELECT sum(x -> 1) FROM hits
SELECT arrayMap(x -> x, user) FROM hits
SELECT arrayMap(x -> x, url) FROM hits
SELECT topics IN ('nosuch') FROM hits
SELECT topics IN (['a']) FROM hits
SELECT topics IN (1, 'a') FROM hits
SELECT topics IN ([1]) FROM hits
SELECT url IN ((1, 2), 'a') FROM hits
SELECT user IN ('nosuch') FROM hits
SELECT user IN ('1') FROM hits
SELECT topics = [5] FROM hits
SELECT topics = ['a'] FROM hits
SELECT qtys = ['a'] FROM sales
SELECT topics = DATE '2024-01-01' FROM hits
SELECT utm = TRUE FROM hits
SELECT NOT utm FROM hits
SELECT (user, ms) = (1, 2, 3) FROM hits
SELECT (user, ms) < (1, 'a') FROM hits
SELECT url = (1, 2) FROM hits
SELECT number FROM numbers('a')
SELECT number FROM numbers(-1)
SELECT number FROM numbers(3.5)
SELECT number FROM numbers([1])
SELECT number FROM numbers((1, 2))
SELECT number FROM numbers(1, 2, 3, 4)
SELECT number FROM numbers(NULL)
SELECT number FROM numbers(x -> x)
SELECT number FROM numbers(*)
SELECT number FROM numbers('5')
SELECT number FROM numbers(TRUE)
SELECT number FROM numbers(1 + 1), numbers(toUInt8(3)) AS x
SELECT number FROM numbers_mt('a')
SELECT zero FROM zeros('a')
SELECT generate_series FROM generateSeries('a', 2)
SELECT number FROM numbers((SELECT 3))
SELECT quantile(-1)(ms) FROM hits
SELECT groupUniqArray(NULL)(ms) FROM hits
SELECT groupUniqArray('a')(ms) FROM hits
SELECT groupArray(1.5)(ms) FROM hits
SELECT lag(ms, -1) OVER () FROM hits
SELECT ntile(0) OVER (ORDER BY ms) FROM hits
SELECT nth_value(ms, 0) OVER (ORDER BY ms) FROM hits
SELECT user FROM hits ORDER BY url COLLATE 1000
SELECT user FROM hits ORDER BY url COLLATE 'en'
SELECT user FROM hits ORDER BY user COLLATE 'en'
SELECT user FROM hits ORDER BY url COLLATE TRUE
SELECT h.user FROM hits h ASOF JOIN hits g USING (user)
SELECT h.user FROM hits h ASOF JOIN hits g USING (user, at)
SELECT h.user FROM hits h LEFT ASOF JOIN hits g USING user
SELECT h.user FROM hits h ASOF RIGHT JOIN hits g USING (user, at)
SELECT h.user FROM hits h ASOF FULL JOIN hits g USING (user, at)
SELECT h.user FROM hits h ASOF RIGHT JOIN hits g ON h.user = g.user AND h.at > g.at
SELECT * EXCEPT STRICT (nosuch) FROM pairs
SELECT * REPLACE STRICT (1 AS nosuch) FROM pairs
SELECT * EXCEPT STRICT (k) FROM pairs
SELECT * EXCEPT (nosuch) FROM pairs
SELECT t9.utm.source FROM hits
SELECT h.t9.utm FROM hits h
SELECT * FROM pairs JOIN marks ON 1
SELECT * FROM pairs JOIN marks ON k
SELECT grouping(k), k FROM pairs GROUP BY k
SELECT grouping(a), k FROM pairs GROUP BY k
SELECT user FROM hits ARRAY JOIN url
SELECT user FROM hits ARRAY JOIN toDate(at) AS d
SELECT user FROM hits ARRAY JOIN params AS p
SELECT toTimeZone(at, 'nowhere') FROM hits
SELECT toDateTime(at, 'a') FROM hits
SELECT toDateTime('2024-01-01 00:00:00', 'UTC')
SELECT toDate(at, 'abc') FROM hits
SELECT formatDateTime(at, '%F', 'nowhere') FROM hits
SELECT now('nowhere')
SELECT date('2025-09-30', '-30 days')
SELECT toStartOfDay(at, 'x') FROM hits
SELECT toHour(at, 'Europe/Berlin') FROM hits
SELECT makeDateTime(2024, 1, 1, 0, 0, 0, 'x')
SELECT user FROM hits LIMIT 5 OFFSET (1, 2)
SELECT user FROM hits WHERE url = ANY ('a')
SELECT user FROM hits WHERE EXTRACT(DOW FROM url) = 1
SELECT EXTRACT(YEAR FROM url) FROM hits
SELECT EXTRACT(DOW FROM user) FROM hits
SELECT sum(concat(ms, 'a')) FROM hits
SELECT avg(concat(ms, 'a')) FROM hits
SELECT sum(toTypeName(ms)) FROM hits
SELECT sum(groupArray(ms)) FROM hits
SELECT sum(if(ms > 1, 'a', 2)) FROM hits
SELECT avg([1, 'a']) FROM hits
SELECT sumArray([1, 'a']) FROM hits
SELECT [1, 'a'] + [1, 2]
SELECT [1, 'a'] = [1]
SELECT materialize([2, NULL]) * 7
SELECT [1, 2] * 7
SELECT qtys * 2 FROM sales
SELECT qtys + qtys FROM sales
SELECT topics + topics FROM hits
SELECT (1, 2) + (1, 2), (1, 2) * 2
SELECT variantType('a')
SELECT variantElement(1, 'a')
SELECT startsWith(url, 5) FROM hits
SELECT position(url, 5) FROM hits
SELECT dictGet('titles', 'nosuch', user) FROM hits
SELECT dictGet('titles', 'v', url) FROM hits
SELECT dictGet('titles', 'v', user, 1) FROM hits
SELECT dictGetOrDefault('titles', 'v', user, 'x', 1) FROM hits
SELECT dictGet('titles', ('v', 'nosuch'), user) FROM hits
SELECT joinGet('rates', 'nosuch', 1)
SELECT user FROM hits WHERE indexHint(user >= 'abc')
SELECT * FROM (EXPLAIN SYNTAX SELECT nosuch FROM ghosts)
SELECT * FROM (EXPLAIN AST SELECT nosuch FROM ghosts)
SELECT * FROM (EXPLAIN QUERY TREE SELECT nosuch FROM hits)
SELECT clinic.pairs.k FROM pairs
SELECT topics IN ['a'] FROM hits
SELECT topics IN (['a'], ['b']) FROM hits
SELECT topics IN ('a', 'b') FROM hits
SELECT topics IN 'a' FROM hits
SELECT qtys IN (1) FROM sales
SELECT qtys * 7 FROM sales
SELECT [1, NULL] * 7
SELECT [1] * 7, [1] + [2]
SELECT arrayJoin(info.items[].sku) FROM sales
SELECT startsWith(url, session), startsWith(topics, topics) FROM hits
SELECT intDiv(user, ms), intDiv(user, 2) FROM hits
SELECT toDate('2024-01-01'), toUInt32('5'), toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')
-- WITH FILL
SELECT $$a$$
SELECT $name$it's$name$
SELECT $name$ a $$ b $name$ AS x, x
SELECT length($$it's "x"$$)
SELECT user FROM hits WHERE url = $a$x$a$
SELECT 1 AS user ORDER BY user WITH FILL INTERPOLATE (nosuch)
SELECT user, ms FROM hits ORDER BY user WITH FILL INTERPOLATE (ms AS ms + 1)
SELECT user, ms FROM hits ORDER BY user WITH FILL INTERPOLATE (nosuch AS ms + 1)
SELECT user, ms FROM hits ORDER BY user WITH FILL INTERPOLATE (ms AS nosuch + 1)
SELECT user, ms FROM hits ORDER BY user WITH FILL INTERPOLATE (ms)
SELECT user, ms FROM hits ORDER BY user WITH FILL INTERPOLATE (ms, 1)
SELECT user FROM hits ORDER BY user WITH FILL FROM 'a'
SELECT user FROM hits ORDER BY user WITH FILL STEP 0
SELECT user FROM hits ORDER BY user WITH FILL STEP -1
SELECT user FROM hits ORDER BY user DESC WITH FILL STEP -1
SELECT user FROM hits ORDER BY user WITH FILL FROM 10 TO 1
SELECT url FROM hits ORDER BY url WITH FILL
SELECT user FROM hits ORDER BY user WITH FILL STEP INTERVAL 1 DAY
SELECT toDate(at) AS d FROM hits ORDER BY d WITH FILL STEP INTERVAL 1 DAY
SELECT toDate(at) AS d FROM hits ORDER BY d WITH FILL STEP INTERVAL 1 HOUR
SELECT toDate(at) AS d FROM hits ORDER BY d WITH FILL FROM toDate('2024-01-01') TO toDate('2024-02-01')
SELECT toDate(at) AS d FROM hits ORDER BY d WITH FILL TO '2024-02-17'
SELECT at FROM hits ORDER BY at WITH FILL STEP 60 STALENESS 3
SELECT user FROM hits ORDER BY user WITH FILL FROM ms
-- date_part
SELECT DATE_PART('dow', at) FROM hits
SELECT DATE_PART(now())
SELECT DATE_PART()
SELECT DATE_PART('4.2', 8)
SELECT DATE_PART('year', now(), 1)
SELECT DATE_PART(user, at) FROM hits
SELECT date_part('day')
-- dictionaries and attributes are constants; values of different types
SELECT dictGet(url, 'v', user) FROM hits
SELECT dictGet('titles', url, user) FROM hits
SELECT dictGetOrDefault(url, 'v', user, '') FROM hits
SELECT dictGetString('titles', url, user) FROM hits
SELECT dictHas(url, user) FROM hits
SELECT dictGet(concat('tit', 'les'), 'v', user) FROM hits
SELECT digits(info.a, 1) FROM sales
SELECT toLowCardinality(info.a) FROM sales
SELECT xxHash64Spark(info.a) FROM sales
SELECT toInt32OrDefault(url, info.a) FROM hits, sales
SELECT groupArrayIntersect([info.a]) FROM sales
SELECT toNullable(info.a) FROM sales
-- forms that were not recorded
WITH a AS (1) SELECT 1
WITH a (SELECT 1 AS y) SELECT y FROM a
SELECT max(user ORDER BY 1) FROM hits
SELECT user FROM hits GROUP BY user,
SELECT user FROM hits WHERE user IN (1, 2,)
SELECT max(user,) FROM hits
WITH q AS (SELECT 1 FROM hits AS a ASOF JOIN hits AS b USING (user)) SELECT 1
SELECT addTupleOfIntervals(at, user) FROM hits
SELECT icebergBucket(user, user) FROM hits
SELECT getSubcolumn(url, 'size') FROM hits
SELECT id FROM wards WINDOW w AS (), w AS (PARTITION BY id)
SELECT id FROM wards WINDOW w AS (w2)
SELECT id FROM wards WINDOW w2 AS (ORDER BY id), w AS (w2)
SELECT id FROM wards WINDOW w AS (w2), w2 AS (ORDER BY id)
SELECT sum(id) OVER w FROM wards WINDOW w AS (w2 ROWS 1 PRECEDING), w2 AS (ORDER BY id)
SELECT sum(id) OVER w FROM wards WINDOW w2 AS (ORDER BY id), w AS (w2 ROWS 1 PRECEDING)
SELECT id FROM wards WINDOW w AS (PARTITION BY nosuch)
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 1.5 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN -1 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS 1.5 PRECEDING) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1.5 FOLLOWING) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 'a' PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN id PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 1 + 1 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN NULL PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id RANGE BETWEEN 1.5 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id RANGE BETWEEN -1 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id GROUPS 1 PRECEDING) FROM wards
SELECT sum(id) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM wards
SELECT ntile(0) OVER (GROUPS 1 PRECEDING) FROM wards
SELECT ntile(2) OVER (GROUPS 1 PRECEDING) FROM wards
SELECT ntile(2) OVER (ROWS 1 PRECEDING) FROM wards
SELECT sum(id) OVER (GROUPS 1 PRECEDING) FROM wards
SELECT sum(id) OVER (groups 1 PRECEDING) FROM wards
SELECT sum(id) OVER (ROWS BETWEEN 2 PRECEDING AND 3 PRECEDING) FROM wards
SELECT sum(id) OVER (ROWS BETWEEN 3 FOLLOWING AND 2 FOLLOWING) FROM wards
SELECT id FROM wards ORDER BY id WITH FILL FROM 1 STALENESS 3
SELECT id FROM wards ORDER BY id WITH FILL TO 9 STALENESS 3
SELECT id FROM wards ORDER BY id WITH FILL STEP 1 STALENESS 3
SELECT id FROM wards ORDER BY id WITH FILL STALENESS 3
SELECT id FROM wards ORDER BY id WITH FILL STALENESS 0
SELECT id FROM wards ORDER BY id DESC WITH FILL STALENESS -3
SELECT id FROM wards ORDER BY id WITH FILL STALENESS INTERVAL 1 DAY
SELECT day FROM wards ORDER BY day WITH FILL STALENESS INTERVAL 1 DAY
SELECT day FROM wards ORDER BY day WITH FILL STEP INTERVAL 1 DAY
SELECT id FROM wards ORDER BY id WITH FILL STEP INTERVAL 1 DAY
SELECT id FROM wards ORDER BY ALL WITH FILL
SELECT id FROM wards ORDER BY ALL WITH FILL FROM 1
SELECT id FROM wards ORDER BY ALL WITH FILL STALENESS 3 LIMIT 10
SELECT id FROM wards ORDER BY ALL COLLATE 'en'
SELECT id FROM wards ORDER BY ALL, id
SELECT DISTINCT ON (id) id FROM wards LIMIT 1 BY id
SELECT DISTINCT ON (id) id FROM wards LIMIT 1 BY id LIMIT 5
SELECT DISTINCT id FROM wards LIMIT 1 BY id
SELECT id FROM wards LIMIT 1 BY 9
SELECT id FROM wards LIMIT 1 BY 1
SELECT id FROM wards LIMIT 1 BY 0
SELECT id FROM wards LIMIT 1 BY -1
SELECT id FROM wards LIMIT 1 BY -2
SELECT id FROM wards ORDER BY 0 COLLATE 'en'
SELECT title FROM wards ORDER BY 2 COLLATE 'en'
SELECT title FROM wards ORDER BY 1 COLLATE 'en'
SELECT title FROM wards GROUP BY GROUPING SETS ((0))
SELECT title, count() FROM wards GROUP BY GROUPING SETS ((1), (2))
SELECT title, count() FROM wards GROUP BY ROLLUP(1, 2)
SELECT title, count() FROM wards GROUP BY CUBE(1)
SELECT title, count() FROM wards GROUP BY CUBE(3)
SELECT title, count() FROM wards GROUP BY 3
SELECT title, count() FROM wards GROUP BY 2
SELECT title AS s, count() AS c FROM wards GROUP BY GROUPING SETS ((1), (c))
SELECT title, count() FROM wards GROUP BY ROLLUP(title), title
SELECT title, count() FROM wards GROUP BY title, ROLLUP(title)
SELECT grouping(1) FROM wards
SELECT id FROM wards HAVING grouping(1) = 1
SELECT id FROM wards HAVING grouping(id) = 1
SELECT id, grouping(id) FROM wards
SELECT id, grouping(id) FROM wards GROUP BY id
SELECT id, grouping(beds) FROM wards GROUP BY id
SELECT id FROM wards GROUP BY id ORDER BY grouping(id)
SELECT COLUMNS('[') FROM wards
SELECT COLUMNS('a(') FROM wards
SELECT COLUMNS('(?!a)id') FROM wards
SELECT COLUMNS('id') AS x FROM wards
SELECT COLUMNS('id') x FROM wards
SELECT COLUMNS('id') AS x, id FROM wards
SELECT wards.COLUMNS('d') AS b, id FROM wards
SELECT wards.COLUMNS('id') FROM wards
SELECT COLUMNS(id) AS a FROM wards
SELECT TOP 3 COLUMNS('id') AS name FROM wards
SELECT * EXCEPT id AS b FROM wards
SELECT * EXCEPT (id) AS b FROM wards
SELECT * EXCEPT (id) AS b, id FROM wards
SELECT * REPLACE (1 AS id) AS b FROM wards
SELECT * APPLY toString AS b FROM wards
SELECT * AS b FROM wards
SELECT wards.* AS b FROM wards
SELECT wards.* EXCEPT (id) AS b FROM wards
SELECT sum(id) OVER (ORDER BY day RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY day ROWS BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN toUInt8(3) PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 0 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 1.0 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 4294967296 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 2147483648 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 2147483647 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN true PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN (SELECT 1) PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN [1] PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN '1' PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY title RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY beds RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY amount RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY height RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM patients
SELECT sum(id) OVER (ORDER BY id, born RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM patients
SELECT sum(id) OVER (RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM patients
SELECT sum(id) OVER (ORDER BY at RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM hits
SELECT sum(user) OVER (ORDER BY at RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM hits
SELECT sum(user) OVER (ORDER BY at RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM hits
SELECT sum(user) OVER (ORDER BY url RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM hits
SELECT sum(user) OVER (ORDER BY toUInt128(user) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM hits
SELECT sum(user) OVER (ORDER BY created RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY created RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY tags RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (ORDER BY toUUID('x') RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER w FROM wards WINDOW w AS (ORDER BY id ROWS BETWEEN -1 PRECEDING AND CURRENT ROW)
SELECT id FROM wards WINDOW w AS (ORDER BY id ROWS BETWEEN -1 PRECEDING AND CURRENT ROW)
SELECT id FROM wards WINDOW w AS (ORDER BY id ROWS BETWEEN 1.5 PRECEDING AND CURRENT ROW)
SELECT id FROM wards WINDOW w AS (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 PRECEDING)
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 PRECEDING) FROM wards
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 2 FOLLOWING) FROM wards
SELECT sum(id) OVER (ORDER BY id RANGE BETWEEN 2 PRECEDING AND 3 PRECEDING) FROM wards
SELECT sum(id) OVER (ORDER BY id GROUPS BETWEEN 2 PRECEDING AND 3 PRECEDING) FROM wards
SELECT sum(id) OVER (ORDER BY id GROUPS BETWEEN 1.5 PRECEDING AND 3 FOLLOWING) FROM wards
SELECT sum(id) OVER (GROUPS UNBOUNDED PRECEDING) FROM wards
SELECT sum(id) OVER (GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM wards
SELECT sum(id) OVER (PARTITION BY id GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM wards
SELECT count(), grouping(id) FROM wards GROUP BY id
SELECT count() FROM wards GROUP BY GROUPING SETS ((title), (id)) HAVING grouping(title) = 1
SELECT title, grouping(title, beds) FROM wards GROUP BY title, beds
SELECT (SELECT grouping(1)) FROM wards GROUP BY id
SELECT title, id FROM wards GROUP BY ROLLUP(3)
SELECT title, id FROM wards GROUP BY ROLLUP(1, 2)
SELECT title, id FROM wards GROUP BY CUBE(1, 5)
SELECT title, id FROM wards GROUP BY (1, 5)
SELECT title, id FROM wards GROUP BY GROUPING SETS (1, 2)
SELECT title, id FROM wards GROUP BY GROUPING SETS (1, 5)
SELECT title, id FROM wards GROUP BY GROUPING SETS ((1, 2), ())
SELECT title, id FROM wards GROUP BY GROUPING SETS ((1, 5), ())
SELECT title, count() AS c FROM wards GROUP BY ROLLUP(title, c)
SELECT title, count() AS c FROM wards GROUP BY title, c
SELECT title, count() FROM wards GROUP BY GROUPING SETS ((title), (count()))
SELECT title, 1 + count() FROM wards GROUP BY 2, 1
SELECT title, row_number() OVER () FROM wards GROUP BY 1, 2
SELECT title, row_number() OVER () FROM wards GROUP BY ROLLUP(1, 2)
SELECT COLUMNS('^(id|beds)$') FROM wards
SELECT COLUMNS('(a)\\1') FROM wards
SELECT COLUMNS('i*+d') FROM wards
SELECT COLUMNS('(?i)ID') FROM wards
SELECT COLUMNS('a{2,1}') FROM wards
SELECT COLUMNS('*') FROM wards
SELECT COLUMNS('?id') FROM wards
SELECT * EXCEPT('id') FROM wards
SELECT COLUMNS('id') FROM wards o JOIN patients c ON o.id = c.id
SELECT toString(COLUMNS('^id$')) AS x FROM wards
SELECT CAST(COLUMNS('^id$') AS String) FROM wards
SELECT (COLUMNS('^id$')) AS x FROM wards
SELECT id + COLUMNS('^id$') AS x FROM wards
SELECT id FROM wards ORDER BY id DESC NULLS LAST WITH FILL STALENESS -3
SELECT id FROM wards ORDER BY id, id WITH FILL STALENESS 3
SELECT id FROM wards LIMIT 1 OFFSET 1 BY 1
SELECT id FROM wards LIMIT 1 BY 1, 5
SELECT id FROM wards LIMIT 1 BY 5 LIMIT 3
SELECT id FROM wards LIMIT 1 BY 1.5
SELECT id FROM wards LIMIT 1 BY 'a'
SELECT * FROM wards LIMIT 1 BY 10
SELECT * FROM wards LIMIT 1 BY 9
WITH w AS (SELECT 1 AS id) SELECT w FROM w
WITH w AS (SELECT 1 AS id) SELECT w FROM wards
WITH w AS (SELECT 1 AS id) SELECT w.id FROM wards
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE w = 1
WITH w AS (SELECT 1 AS id) SELECT id FROM wards ORDER BY w
WITH w AS (SELECT 1 AS id), v AS (SELECT w FROM wards) SELECT * FROM v
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE id = w
WITH w AS (SELECT 1 AS id) SELECT sum(w) FROM w
WITH w AS (SELECT 1 AS id) SELECT count(w) FROM w
WITH w AS (SELECT 1 AS id) SELECT has(w, 1) FROM wards
WITH (SELECT 1 AS id) AS w SELECT w FROM wards
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE in(id, w)
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE notIn(id, w)
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE globalIn(id, w)
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE nullIn(id, w)
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE id NOT IN w
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE id GLOBAL IN w
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE id GLOBAL NOT IN w
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE id GLOBAL IN (w)
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE (id) IN (w)
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE (id, id) IN (w)
WITH w AS (SELECT 1 AS id, 2 AS k) SELECT id FROM wards WHERE (id, id) IN (w)
WITH w AS (SELECT 1 AS id, 2 AS k) SELECT id FROM wards WHERE (id, id) IN w
WITH w AS (SELECT 1 AS id) SELECT id IN w, id IN (w) AS z FROM wards
WITH w AS (SELECT 1 AS id) SELECT id IN w FROM wards ORDER BY id IN w
WITH w AS (SELECT 1 AS id) SELECT arrayFilter(x -> x IN w, [1, 2])
WITH w AS (SELECT 1 AS id) SELECT arrayFilter(x -> x IN (w), [1, 2])
WITH w AS (SELECT 1 AS id) SELECT countIf(id IN w) FROM wards
WITH w AS (SELECT 1 AS id) SELECT id FROM (SELECT id FROM wards WHERE id IN w)
WITH w AS (SELECT 1 AS id) SELECT (SELECT count() FROM wards WHERE id IN w)
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE id IN (SELECT id FROM w) AND id IN w
WITH w AS (SELECT 1 AS id), v AS (SELECT id FROM wards WHERE id IN w) SELECT * FROM v
WITH w AS (SELECT 1 AS id), v AS (SELECT id FROM wards WHERE id IN (w)) SELECT * FROM v
WITH v AS (SELECT id FROM wards WHERE id IN w), w AS (SELECT 1 AS id) SELECT * FROM v
WITH w AS (SELECT 1 AS id) SELECT id FROM wards PREWHERE id IN w
WITH w AS (SELECT 1 AS id) SELECT id FROM wards HAVING id IN w
WITH w AS (SELECT 1 AS id) SELECT sum(id) FROM wards GROUP BY id HAVING id IN w
WITH w AS (SELECT 1 AS id) SELECT o.id FROM wards o JOIN patients c ON o.id = c.id AND o.id IN w
WITH w AS (SELECT 1 AS id) SELECT o.id FROM wards o JOIN w ON o.id = w.id
WITH w AS (SELECT 1 AS id) SELECT w.id FROM w JOIN w AS v ON w.id = v.id
WITH w AS (SELECT [1, 2] AS id) SELECT * FROM wards ARRAY JOIN w AS z
WITH w AS (SELECT 1 AS id) SELECT *, w.* FROM w
WITH w AS (SELECT 1 AS w) SELECT w FROM w
WITH w AS (SELECT 1 AS w) SELECT w.w, w FROM w
WITH w AS (SELECT 1 AS id) SELECT 1 AS w FROM wards WHERE w = 1
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE id IN (w, 2)
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE id = (w)
WITH w AS (SELECT 1 AS id) SELECT id FROM wards WHERE id = ANY (w)
WITH w AS (SELECT 1 AS id) SELECT exists(w)
WITH w AS (SELECT 1 AS id) SELECT EXISTS (FROM w SELECT 1)
WITH w AS (SELECT 1 AS id), 5 AS five SELECT five FROM w
WITH x AS (SELECT 1), y AS (SELECT 2) SELECT x, y
WITH x AS (SELECT 1 AS x) SELECT x.x FROM x
WITH (SELECT 1) AS x SELECT x
WITH x AS y SELECT 1 AS y, x
WITH 'wards' AS w SELECT * FROM merge(currentDatabase(), w)
WITH w AS (SELECT number AS n FROM numbers(3)) SELECT groupArray(n) FROM w AS w2 WHERE w2.n IN w
WITH w AS (SELECT 1 AS id) SELECT dictHas('titles', toUInt64(id)) FROM w
WITH w AS (SELECT 1 AS id) SELECT cluster(w)
SELECT w FROM (WITH w AS (SELECT 1 AS w) SELECT * FROM w)
SELECT * FROM wards WHERE id IN (WITH w AS (SELECT 1 AS id) SELECT id FROM w)
WITH RECURSIVE t AS (SELECT 1 AS number, [1] AS p UNION ALL SELECT number + 1, arrayPushBack(p, number) FROM t WHERE number < 5) SELECT t FROM t
WITH t AS (SELECT 1 AS a) SELECT t.* EXCEPT (a), 1 FROM t
WITH t AS (SELECT 1 AS a) SELECT tuple(t.*) FROM t
WITH t AS (SELECT 1 AS a) SELECT t.a AS t FROM t WHERE t = 1
WITH t AS (SELECT 1 AS a) SELECT count(t.*) FROM t
WITH data AS (SELECT 1 AS a) SELECT quantile(0.5)(data.a) FROM data
WITH test1 AS (SELECT i + 1, j + 1 FROM (SELECT 1 AS i, 2 AS j)) SELECT * FROM test1
WITH test1 AS (SELECT 1 AS i) SELECT * FROM (SELECT * FROM test1) WHERE i IN test1
WITH a AS (SELECT 1 AS b) SELECT sum(toInt64(id IN a)) FROM wards SETTINGS enable_global_with_statement = 0
SELECT in(id, patients) FROM wards
SELECT in(id, visits) FROM wards
SELECT in(id, (SELECT id FROM patients)) FROM wards
SELECT in(id, (1, 2)) FROM wards
SELECT in(id, [1, 2]) FROM wards
SELECT in(id, 1) FROM wards
SELECT in(id, nosuch) FROM wards
SELECT notIn(id, patients) FROM wards
SELECT in((id, 1), visits) FROM wards
SELECT in(id, st) FROM wards
SELECT inIgnoreSet(id, (1, 2)) FROM wards
WITH w AS (SELECT 1 AS id, 2 AS k) SELECT in(id, w) FROM wards
WITH w AS (SELECT 1 AS id, 2 AS k) SELECT in((id, id), w) FROM wards
WITH w AS (SELECT nosuch FROM wards) SELECT in(id, w) FROM wards
WITH [1, 2] AS w SELECT in(id, w) FROM wards
SELECT globalNotNullIn(id, patients) FROM wards
SELECT in(title, ('a', 'b')) FROM wards
SELECT in(title, (1, 'b')) FROM wards
WITH ((SELECT 1)) AS x SELECT x
WITH (WITH 1 AS y SELECT y) AS x SELECT x
WITH (WITH y AS (SELECT 1) SELECT * FROM y) AS x SELECT x
WITH (SELECT 1) AS x, (SELECT 2) AS y SELECT x, y
WITH (1, 2) AS x SELECT x
WITH (1) AS x SELECT x
WITH ((1, 2), (3, 4)) AS x SELECT x
WITH (SELECT count() FROM wards) AS x, id AS y SELECT x, y FROM wards
WITH (id, beds) AS x SELECT x FROM wards
WITH INTERVAL 1 DAY AS x SELECT day + x FROM wards
WITH -1 AS x SELECT x
WITH CAST(1 AS Int8) AS x SELECT x
WITH (SELECT 1)::Int8 AS x SELECT x
WITH (SELECT 1) + 1 AS x SELECT x
WITH id + 1 AS x SELECT x FROM wards
WITH (id + 1) AS x SELECT x FROM wards
WITH (SELECT id FROM wards LIMIT 1) AS x SELECT (SELECT x)
WITH (SELECT groupArray(id) FROM wards) AS x SELECT arrayJoin(x)
WITH (SELECT 1 AS a, 2 AS b) AS x SELECT x.a
WITH (SELECT 1 AS a, 2 AS b) AS x SELECT x.1, x.a FROM wards
WITH (SELECT 1) AS x SELECT x FROM (SELECT x AS y)
WITH (SELECT 1 SETTINGS max_threads = 1) AS x SELECT x
WITH (SELECT (1, 2)) AS x SELECT x.1
WITH (SELECT map('a', 1)) AS x SELECT x['a']
WITH x AS (SELECT 1) SELECT count() FROM x
WITH x AS (1) SELECT x
WITH x AS (SELECT 1), y AS (SELECT * FROM x) SELECT * FROM wards WHERE id IN y OR id IN x
WITH x AS (SELECT 1 AS id) SELECT * FROM wards LEFT JOIN x USING (id) WHERE x.id = 1
WITH x AS (SELECT 1 AS id) SELECT x.* FROM wards LEFT JOIN x USING (id)
WITH x AS (SELECT 1 AS id) SELECT COLUMNS('x') FROM x
WITH x AS (SELECT 1 AS id) SELECT x.COLUMNS('id') FROM x
WITH x AS (SELECT 1 AS id) SELECT tuple(x.id) FROM x
WITH x AS (SELECT 1 AS id) SELECT arrayMap(x -> x + 1, [1])
WITH x AS (SELECT 1 AS id) SELECT arrayMap((x, y) -> x + y, [1], [2]) FROM x
WITH x AS (SELECT 1 AS id) SELECT id AS x FROM x GROUP BY x
WITH x AS (SELECT 1 AS id) SELECT id + 1 AS z, x.id FROM x ORDER BY x.id
WITH x AS (SELECT 1 AS x, 2 AS y) SELECT x + y FROM x
WITH x AS (SELECT 1 AS id) SELECT dictGet('titles', 'w', id) AS x FROM x
WITH x AS (SELECT 1 AS id) SELECT * FROM x SAMPLE 0.1
WITH t AS (SELECT 1 AS n) SELECT n FROM t ORDER BY n WITH FILL FROM 1 TO 10 INTERPOLATE (t)
WITH t AS (SELECT number AS n FROM numbers(3)) SELECT n, t FROM t WINDOW t AS (ORDER BY n)
WITH t AS (SELECT number AS n FROM numbers(3)) SELECT sum(n) OVER t FROM t WINDOW t AS (ORDER BY n)
SELECT * FROM (SELECT 1 AS id) AS q WHERE q.id IN (q)
SELECT id FROM wards ORDER BY 1 COLLATE 'en'
SELECT title FROM wards ORDER BY title COLLATE 'en', 2
WITH x AS (SELECT 5) SELECT * FROM numbers(x)
WITH x AS (SELECT 5) SELECT * FROM numbers((SELECT * FROM x))
WITH x AS (SELECT 5 AS a) SELECT a FROM x LIMIT x
WITH 5 AS x SELECT * FROM numbers(x)
WITH (SELECT 5) AS x SELECT * FROM numbers(10) LIMIT x
WITH x AS (SELECT 1 AS id) SELECT id FROM wards WHERE tuple(id) IN x
WITH x AS (SELECT 1 AS id) SELECT id FROM wards WHERE id IN (((x)))
WITH x AS (SELECT 1 AS id) SELECT multiIf(id IN x, 1, 2) FROM wards
WITH x AS (SELECT 1 AS id) SELECT if(id IN (x), 1, 2) FROM wards
WITH x AS (SELECT 1 AS id) SELECT CASE WHEN id IN (x) THEN 1 END FROM wards
WITH x AS (SELECT 1 AS id) SELECT id IN (x) ? 1 : 2 FROM wards
WITH x AS (SELECT 1 AS id) SELECT sumIf(id, id IN (x)) FROM wards
WITH x AS (SELECT 1 AS id) SELECT NOT id IN (x) FROM wards
WITH x AS (SELECT 1 AS id) SELECT not(id IN (x)) AND (id) IN (x) FROM wards
SELECT id FROM tt WHERE t IN (SELECT s FROM tt)
SELECT id FROM tt WHERE t IN (SELECT id FROM tt)
SELECT id FROM tt WHERE t IN (SELECT id, id FROM tt)
SELECT id FROM tt WHERE t IN (SELECT s, s FROM tt)
SELECT id FROM tt WHERE t IN (SELECT t FROM tt)
SELECT id FROM tt WHERE t IN (SELECT t3 FROM tt)
SELECT id FROM tt WHERE t IN (SELECT arr FROM tt)
SELECT id FROM tt WHERE t IN (SELECT NULL FROM tt)
SELECT id FROM tt WHERE t IN (SELECT ns FROM tt)
SELECT id FROM tt WHERE t IN (SELECT lc FROM tt)
SELECT id FROM tt WHERE (id, s) IN (SELECT s FROM tt)
SELECT id FROM tt WHERE (id, s) IN (SELECT t FROM tt)
SELECT id FROM tt WHERE (id, s) IN (SELECT (id, s) FROM tt)
SELECT id FROM tt WHERE (id, s) IN (SELECT id FROM tt)
SELECT id FROM tt WHERE t3 IN (SELECT id, id, id FROM tt)
WITH c AS (SELECT id, s FROM tt) SELECT id FROM tt WHERE t IN c
WITH c AS (SELECT tuple(id, s) FROM tt) SELECT id FROM tt WHERE (id, s) IN c
WITH c AS (SELECT t FROM tt) SELECT id FROM tt WHERE t IN c
WITH c AS (SELECT id FROM tt) SELECT id FROM tt WHERE t IN c
WITH c AS (SELECT s FROM tt) SELECT id FROM tt WHERE t IN c
WITH c AS (SELECT t FROM tt) SELECT id FROM tt WHERE (id, s) IN (c)
WITH c AS (SELECT id, s FROM tt) SELECT id FROM tt WHERE t IN (c)
WITH c AS (SELECT id, s FROM tt) SELECT id FROM tt WHERE tuple(id, s) IN c
WITH c AS (SELECT id, s FROM tt) SELECT id FROM tt WHERE tuple(id, s) IN (c)
WITH c AS (SELECT id, s FROM tt) SELECT id FROM tt WHERE in(t, c)
WITH c AS (SELECT id, s FROM tt) SELECT id FROM tt WHERE in((id, s), c)
WITH c AS (SELECT id FROM tt) SELECT id FROM tt WHERE tuple(id) IN c
WITH c AS (SELECT s FROM tt) SELECT id FROM tt WHERE id IN c
WITH c AS (SELECT arr FROM tt) SELECT id FROM tt WHERE id IN c
WITH c AS (SELECT arr FROM tt) SELECT id FROM tt WHERE id IN (SELECT arr FROM tt)
WITH c AS (SELECT id FROM tt) SELECT id FROM tt WHERE id IN c
SELECT id FROM tt WHERE id IN (SELECT id FROM tt)
SELECT id FROM tt WHERE id IN (SELECT t FROM tt)
SELECT id FROM tt WHERE id IN (SELECT tuple(id) FROM tt)
SELECT id FROM tt WHERE s IN (SELECT t FROM tt)
SELECT id FROM tt WHERE arr IN (SELECT s FROM tt)
SELECT id FROM tt WHERE arr IN (SELECT id FROM tt)
SELECT id FROM tt WHERE arr IN (SELECT arr FROM tt)
SELECT id FROM tt WHERE arr IN (SELECT id, id FROM tt)
SELECT * FROM (SELECT 1 AS id) AS q WHERE q.id IN q
SELECT * FROM (SELECT 1 AS id, 2 AS k) AS q WHERE q.id IN q
SELECT * FROM wards AS q WHERE q.id IN q
SELECT * FROM wards AS q WHERE q.id IN (q)
SELECT * FROM visits AS q WHERE (q.id, q.reason, q.w) IN (q)
SELECT * FROM (SELECT 1 AS id) AS q JOIN wards ON q.id = wards.id WHERE wards.id IN q
SELECT * FROM wards WHERE id IN (SELECT id FROM (SELECT 1 AS id) AS q WHERE id IN q)
SELECT id, (SELECT count() FROM visits WHERE id IN q) FROM (SELECT 1 AS id) AS q
SELECT * FROM numbers(3) AS q WHERE number IN q
SELECT * FROM (SELECT number FROM numbers(3)) AS q WHERE number IN (q)
-- time zones, dictionaries, lists of IN, casts of NULL, paths of JSONExtract
SELECT toDate('2024-01-01', 'nowhere')
SELECT toDate('2024-01-01', '')
SELECT toDate(at, 'nowhere') FROM hits
SELECT toDate(url, 'nowhere') FROM hits
SELECT toDate(born, 'nowhere') FROM people
SELECT toDate(joined, 'nowhere') FROM people
SELECT toDate(ms, 'nowhere') FROM hits
SELECT toDate(paid_at, 'nowhere') FROM sales
SELECT toDate32('2024-01-01', 'nowhere')
SELECT toDate32(at, 'nowhere') FROM hits
SELECT formatDateTime(joined, '%F', 'nowhere') FROM people
SELECT formatDateTime(born, '%F', 'nowhere') FROM people
SELECT formatDateTime(paid_at, '%F', 'nowhere') FROM sales
SELECT formatDateTime(toDate('2024-01-01'), '%F', 'nowhere')
SELECT formatDateTimeInJodaSyntax(joined, 'yyyy', 'nowhere') FROM people
SELECT toYear(joined, 'nowhere') FROM people
SELECT toYear(at, 'nowhere') FROM hits
SELECT toStartOfDay(joined, 'nowhere') FROM people
SELECT toYearWeek(joined, 1, 'nowhere') FROM people
SELECT toYYYYMM(joined, 'nowhere') FROM people
SELECT addDays(joined, 1, 'nowhere') FROM people
SELECT dateName('year', joined, 'nowhere') FROM people
SELECT dateDiff('day', joined, joined, 'nowhere') FROM people
SELECT dateTrunc('day', joined, 'nowhere') FROM people
SELECT dateTrunc('month', joined, 'nowhere') FROM people
SELECT toString(joined, 'nowhere') FROM people
SELECT toString(at, 'nowhere') FROM hits
SELECT toString(user, 'nowhere') FROM hits
SELECT toDateTime(joined, 'nowhere') FROM people
SELECT toUnixTimestamp(joined, 'nowhere') FROM people
SELECT toUnixTimestamp('2024-01-01 00:00:00', 'nowhere')
SELECT toUnixTimestamp(url, 'nowhere') FROM hits
SELECT toStartOfInterval(joined, INTERVAL 1 DAY, 'nowhere') FROM people
SELECT dictHas(titles, 1)
SELECT dictHas(titles, user) FROM hits
SELECT dictGetOrNull(titles, 'v', user) FROM hits
SELECT dictGetHierarchy(tree, user) FROM hits
SELECT dictIsIn(tree, user, user) FROM hits
SELECT dictGetChildren(tree, user) FROM hits
SELECT dictGetDescendants(tree, user) FROM hits
SELECT dictGetAll(titles, 'v', user) FROM hits
SELECT dictGetKeys(titles, 'v', 'a') FROM hits
SELECT dictGetStringOrDefault(titles, 'v', user, 'x') FROM hits
SELECT dictHas('titles', user) FROM hits
SELECT catboostEvaluate(titles, 1)
SELECT modelEvaluate(titles, 1)
SELECT hasColumnInTable(own, hits, 'url')
SELECT dictGet(titles, 'v')
SELECT dictGet(1, 'v', 1)
SELECT dictGet(titles, 5, 1)
SELECT dictGet(titles, ('v', 5), 1)
SELECT dictGet(titles, url, 1) FROM hits
SELECT dictGet(titles, ['v'], 1) FROM hits
SELECT dictGetUInt64('titles', 'v', 1)
SELECT dictGetOrDefault('titles', 'v', 1)
SELECT dictGetOrDefault('titles', 'v', 1, 2)
SELECT dictGetOrDefault('titles', 'v', 1, 'x')
SELECT dictGetOrDefault('titles', 'v', user, url) FROM hits
SELECT dictGetOrDefault('titles', 'v', user, [1]) FROM hits
SELECT dictGet('titles', 'v', at) FROM hits
SELECT dictHas(1, 1)
SELECT dictGet('tariffs', 'v', 1, today())
SELECT count() FROM hits WHERE url > NOW() - INTERVAL '7 days' AND url = '5555'
SELECT count() FROM hits WHERE url > NOW() - INTERVAL '7 days'
SELECT count() FROM hits WHERE url > NOW() AND url = '5'
SELECT count() FROM hits WHERE url > NOW()
SELECT count() FROM hits WHERE body > NOW() - INTERVAL '7 days' AND url = '5555'
SELECT url > NOW() - INTERVAL '7 days' FROM hits
SELECT url = 3.5 FROM hits WHERE url = '0'
SELECT count() FROM hits WHERE url = 3.5 AND url = '0'
SELECT count() FROM hits WHERE url = 3.5 AND body = '0'
SELECT count() FROM hits WHERE url = '1' AND url = '0'
SELECT count() FROM hits WHERE url = '1' AND url = '0' AND url = 5
SELECT count() FROM hits WHERE url = 5 AND url = '0'
SELECT count() FROM hits WHERE url > 5 AND url = '5'
SELECT count() FROM hits WHERE url < 5 AND url = '5'
SELECT count() FROM hits WHERE body = 3.5 AND url = '0' and body = '0' and (url, body) in ('0', '2')
SELECT throwIf(1, NULL)
SELECT throwIf(1, 2)
SELECT throwIf(1, NULL < number) FROM numbers(3)
SELECT throwIf(number, NULL < 1) FROM numbers(3)
SELECT length(NULL + 1)
SELECT length(NULL < number) FROM numbers(3)
SELECT length(NULL AND 1)
SELECT length(NULL = 5)
SELECT length(NULL OR number) FROM numbers(2)
SELECT length(if(1, NULL, NULL))
SELECT length(-NULL)
SELECT length(upper(NULL))
SELECT length(upper(NULL) + 1)
SELECT toYear(NULL + 1)
SELECT 'a' IN (5, number, 'a') FROM numbers(2)
SELECT 'a' IN (5, 'a')
SELECT 'a' IN (5, 6)
SELECT 'a' IN (5, number) FROM numbers(2)
SELECT url IN (5, user, 'a') FROM hits
SELECT url IN (5, 'a') FROM hits
SELECT url IN (user) FROM hits
SELECT url IN (user, 5) FROM hits
SELECT user IN ('a', user) FROM hits
SELECT user IN ('a', 5) FROM hits
SELECT now(url) FROM hits SETTINGS allow_nonconst_timezone_arguments = 1
SELECT toTimeZone(at, url) FROM hits
SELECT JSONExtract('{"a":[1]}', 'a', 1, 'Int8')
SELECT JSONExtract('{"a":[1]}', 'a', 1, 'String')
SELECT JSONExtract(body, 'a', 1, 'Int8') FROM hits
SELECT JSONExtract(body, 'a', 'b', 'c', 'Int8') FROM hits
SELECT JSONExtract(body, 1, 'b', 2, 'Int8') FROM hits
SELECT JSONExtract(body, ms, 'b', 2, 'Int8') FROM hits
SELECT JSONExtract(body, 'a', 'b', 'nosuch') FROM hits
SELECT JSONExtractInt(body, 'a', 1, 'b') FROM hits
SELECT JSONExtractInt(body, 1.5) FROM hits
SELECT JSONExtractString(1, 'a')
SELECT JSONExtractRaw(ms, 'a') FROM hits
SELECT JSONHas(body, 'a', 1, 'c', ms, 2) FROM hits
SELECT tokens('abc def', 'sparseGrams', 4, 10, 6)
SELECT tokens('abc def', 'array')
SELECT tokens(ms) FROM hits
SELECT _table
SELECT _database
SELECT dummy, _table
SELECT [CAST((1, 2), 'Tuple(Int32, Int32)'), CAST((3, 4, 5), 'Nullable(Tuple(Int32, Int32, Int32))')]
SELECT [CAST((1, 2), 'Tuple(Int32, Int32)'), CAST((3, 4, 5), 'Tuple(Int32, Int32, Int32)')]
SELECT [(1, 2), (3, 4, 5)]
SELECT toDate(0) AS x, x > toInt8(1)
SELECT toDate(0) AS x, (x > toInt8(1)) ? 1 : 2
SELECT toDate(0) AS x, toInt8(1) AS y, x > y
SELECT materialize(toDate(0)) AS x, toInt8(1) AS y, x > y
SELECT toTypeName(NULL::Nullable(String)::text)
SELECT [1,2][0]
SELECT CAST(ms AS Enum8('a' = 1, 'b' = 2)) FROM hits
SELECT 'a' IN (5)
SELECT 1 IN ('a')
SELECT 1 IN ('a', 2)
SELECT 'a' IN (5, 6) FROM hits
SELECT ms IN (1, 'a') FROM hits
SELECT ms IN ('a', user) FROM hits
SELECT at IN ('a', user) FROM hits
SELECT url IN (5) FROM hits
SELECT upper('a') IN (5)
SELECT toDate('2024-01-01') IN ('a')
SELECT toDate('2024-01-01') IN (5)
SELECT toDate('2024-01-01') IN ('2024-01-01', 5)
SELECT toUInt8(1) IN ('a')
SELECT (1, 2) IN (1, 2)
SELECT (1, 2) IN ((1, 2, 3))
SELECT (1, 2) IN ((1, 'a'))
SELECT (1, 2) IN (('a', 'b'))
SELECT (ms, user) IN ((1, 'a')) FROM hits
SELECT (1, 2) IN [(1, 2)]
SELECT 1 IN [1, 2]
SELECT 1 IN ['a']
SELECT 'a' IN [1]
SELECT ms IN ['a'] FROM hits
SELECT ms IN [1, 'a'] FROM hits
SELECT url IN topics FROM hits
SELECT 1 IN (1, (1, 2))
SELECT 1 IN ([1])
SELECT [1] IN ([1], [2])
SELECT [1] IN (1, 2)
SELECT [1] IN ('a')
SELECT NULL IN (1)
SELECT NULL IN ('a', 1)
SELECT -1 IN ('a')
SELECT device IN ('nosuch') FROM hits
SELECT device IN (1) FROM hits
SELECT device IN (5) FROM hits
SELECT client IN ('a') FROM hits
SELECT id IN ('a') FROM sales
SELECT at IN (1, 2) FROM hits
SELECT at IN (1.5) FROM hits
SELECT ordered IN (1) FROM sales
SELECT ordered IN (toDateTime('2024-01-01 00:00:00')) FROM sales
SELECT ordered IN ('2024-01-01 00:00:00') FROM sales
SELECT total IN ('a') FROM sales
SELECT total IN (1.5) FROM sales
SELECT ms IN (1.5) FROM hits
SELECT ms IN (-1) FROM hits
SELECT is_bot IN (2) FROM hits
SELECT is_bot IN ('a') FROM hits
SELECT is_bot IN (1.5) FROM hits
SELECT currency IN (1) FROM sales
SELECT params IN (1) FROM hits
SELECT params IN ('a') FROM hits
SELECT utm IN ('a', 'b') FROM hits
SELECT utm IN (('a', 'b'), ('c', 'd')) FROM hits
SELECT utm IN ((1, 'b')) FROM hits
SELECT url IN (url, 5) FROM hits
SELECT ms IN (url) FROM hits
SELECT ms IN (url, user) FROM hits
SELECT ms IN (at, 'a') FROM hits
SELECT topics IN (url, ['a']) FROM hits
SELECT (1, 2) IN ((ms, user)) FROM hits
SELECT count() FROM hits WHERE url > true AND url = '5'
SELECT count() FROM hits WHERE url = true AND url = '5'
SELECT count() FROM hits WHERE url = true AND url = '0'
SELECT count() FROM hits WHERE url = true AND url = 'a'
SELECT count() FROM hits WHERE url > DATE '2024-01-01' AND url = 'a'
SELECT count() FROM hits WHERE url < DATE '2024-01-01' AND url = 'a'
SELECT count() FROM hits WHERE url = DATE '2024-01-01' AND url = 'a'
SELECT count() FROM hits WHERE url = now() AND url = 'a'
SELECT count() FROM hits WHERE url != now() AND url = 'a'
SELECT count() FROM hits WHERE url > now() AND url = 'a'
SELECT count() FROM hits WHERE url != 5 AND url = 'a'
SELECT count() FROM hits WHERE url = 5 AND url = 'a'
SELECT count() FROM hits WHERE url = 1.5 AND url = 'a'
SELECT count() FROM hits WHERE url = '5' AND url = 5
SELECT count() FROM hits WHERE url = '6' AND url = 5
SELECT count() FROM hits WHERE url = '6' AND url = 6
SELECT count() FROM hits WHERE url = '6' AND url < 6
SELECT count() FROM hits WHERE url = '6' AND url >= 6
SELECT count() FROM hits WHERE url = -1 AND url = 'a'
SELECT count() FROM hits WHERE ms = 'a' AND ms = 1
SELECT count() FROM hits WHERE ms = [1] AND ms = 1
SELECT count() FROM hits WHERE at = 'a' AND at = 1
SELECT count() FROM hits WHERE url LIKE 5 AND url = 'a'
SELECT count() FROM hits WHERE url = 5 AND url = 'a' OR 0
SELECT url = 5 AND url = 'a' FROM hits
SELECT count() FROM hits WHERE not (url = 5 AND url = 'a')
SELECT count() FROM hits HAVING url = 5 AND url = 'a'
SELECT count() FROM hits PREWHERE url = 5 AND url = 'a'
SELECT count() FROM hits WHERE url = 5 OR url = 'a'
SELECT count() FROM hits WHERE 5 = url AND url = 'a'
SELECT count() FROM hits WHERE url = 5 AND 'a' = url
SELECT count() FROM hits WHERE url > 5 AND url > 'a'
SELECT count() FROM hits WHERE url = 5 AND url > 'a'
SELECT count() FROM hits WHERE url = 5 AND url IN ('a', 'b')
SELECT dictHas('nosuch', user) FROM hits
SELECT dictHas('nosuch', 1)
SELECT dictHas(nosuch, user) FROM hits
SELECT dictIsIn('nosuch', user, user) FROM hits
SELECT dictIsIn('nosuch', 1, 1)
SELECT dictGetHierarchy('nosuch', user) FROM hits
SELECT dictGetChildren('nosuch', user) FROM hits
SELECT dictGetDescendants('nosuch', user) FROM hits
SELECT dictGetDescendants('nosuch', user, 1) FROM hits
SELECT dictGetKeys('nosuch', 'v', 'a') FROM hits
SELECT dictGetKeys('nosuch', 'v', url) FROM hits
SELECT dictGetAll('nosuch', 'v', user) FROM hits
SELECT dictGetString('nosuch', 'v', user) FROM hits
SELECT dictGetStringOrDefault('nosuch', 'v', user, 'a') FROM hits
SELECT dictGetOrNull('nosuch', 'v', user) FROM hits
SELECT joinGet('nosuch', 'v', user) FROM hits
SELECT joinGetOrNull('nosuch', 'v', user) FROM hits
SELECT naiveBayesClassifier('nosuch', url) FROM hits
SELECT dictHas('titles', url) FROM hits
SELECT dictHas('titles', topics) FROM hits
SELECT dictHas('titles', (user, url)) FROM hits
SELECT dictGet('titles', 'v', topics) FROM hits
SELECT dictGet('titles', 'v', utm) FROM hits
SELECT dictGet('titles', 'v', id) FROM sales
SELECT dictGet('titles', 'v', body) FROM hits
SELECT dictGet('titles', 'v', NULL)
SELECT dictGet('titles', NULL, 1)
SELECT dictGet(NULL, 'v', 1)
SELECT dictGet(NULL, 'v', user) FROM hits
SELECT dictGet([1], 'v', user) FROM hits
SELECT dictGet(1.5, 'v', user) FROM hits
SELECT dictGet(ms, 'v', user) FROM hits
SELECT dictHas([1], user) FROM hits
SELECT dictHas(ms, user) FROM hits
SELECT dictIsIn(1, user, user) FROM hits
SELECT dictGetHierarchy(1, user) FROM hits
SELECT joinGet(1, 'name', toUInt32(1))
SELECT joinGet(rates, 5, toUInt32(1))
SELECT joinGet(rates, ['name'], toUInt32(1))
SELECT joinGet(rates, 'name', ms) FROM hits
SELECT joinGet(rates, 'name')
SELECT dictGet('tree', ('v', 'p'), 1)
SELECT dictGetUInt64('tree', 'p', 1)
SELECT dictGetUInt64('tree', 'v', user) FROM hits
SELECT dictGetString('tree', 'p', user) FROM hits
SELECT dictGetStringOrDefault('tree', 'p', user, 'a') FROM hits
SELECT dictGetUInt64OrDefault('tree', 'p', user, 'a') FROM hits
SELECT dictGetUInt64OrDefault('tree', 'p', user, 5) FROM hits
SELECT dictGetDate('tree', 'p', user) FROM hits
SELECT dictGet('tree', 'p', user, 5) FROM hits
SELECT dictGetOrDefault('tree', 'p', user, 'a') FROM hits
SELECT dictGetOrDefault('tree', 'p', user, url) FROM hits
SELECT dictGetOrDefault('tree', 'p', user, topics) FROM hits
SELECT dictGetOrDefault('tree', 'p', user, at) FROM hits
SELECT dictGetOrDefault('tree', ('v', 'p'), user, ('a', 1)) FROM hits
SELECT dictGetOrDefault('tree', ('v', 'p'), user, 'a') FROM hits
SELECT dictGetOrDefault('tree', ('v', 'p'), user, ('a', 1, 2)) FROM hits
SELECT dictGet('tariffs', 'v', user, at) FROM hits
SELECT dictGet('tariffs', 'v', user, url) FROM hits
SELECT dictGet('tariffs', 'v', user, ms) FROM hits
SELECT dictHas('tariffs', user) FROM hits
SELECT dictHas('tariffs', user, at) FROM hits
SELECT dictHas('titles', user, at) FROM hits
SELECT dictGetHierarchy('tree', url) FROM hits
SELECT dictIsIn('titles', user, user) FROM hits
SELECT dictIsIn('tree', user, url) FROM hits
-- values of literals, patterns, templates, paths
SELECT if(ms > 1, (1, 2), (1, 2, 3)) FROM hits
SELECT CASE WHEN ms > 1 THEN (1, 2) ELSE (1, 2, 3) END FROM hits
SELECT coalesce((1, 2), (1, 2, 3))
SELECT greatest((1, 2), (1, 2, 3))
SELECT (1, 2) UNION ALL SELECT (1, 2, 3)
SELECT (1, 2) AS x UNION ALL SELECT ('a', 'b')
SELECT [(1, 2), (3, 'a')]
SELECT [(1, 2), 3]
SELECT [(1, 2), [3]]
SELECT [map('a', 1), map(1, 1)]
SELECT [map('a', 1), map('a', 'b')]
SELECT greatest((1, 2), ('a', 2))
SELECT ifNull(coupon, (1, 2)) FROM sales
SELECT multiIf(ms > 1, (1, 2), ms > 2, (1, 2, 3), (1, 2)) FROM hits
SELECT CAST(NULL AS String)
SELECT CAST(NULL AS Nullable(String))
SELECT CAST(CAST(NULL AS Nullable(String)) AS String)
SELECT NULL::Int32
SELECT NULL::Nullable(Int32)::Int32
SELECT NULL::Array(Int32)
SELECT CAST(referrer AS String) FROM hits
SELECT CAST(toNullable(1) AS Int32)
SELECT toInt32(NULL)
SELECT CAST(NULL AS Variant(Int32))
SELECT CAST(NULL AS Dynamic)
SELECT CAST(NULL AS JSON)
SELECT CAST(NULL AS LowCardinality(String))
SELECT CAST(NULL AS LowCardinality(Nullable(String)))
SELECT CAST(3 AS Enum8('a' = 1))
SELECT CAST(1 AS Enum8('a' = 1))
SELECT CAST(1.0 AS Enum8('a' = 1))
SELECT CAST('a' AS Enum8('a' = 1))
SELECT CAST('b' AS Enum8('a' = 1))
SELECT CAST('1' AS Enum8('a' = 1))
SELECT CAST('b' AS Enum8('a', 'b'))
SELECT CAST(2 AS Enum8('a', 'b'))
SELECT CAST(3 AS Enum8('a', 'b'))
SELECT CAST(-1 AS Enum8('a' = -1))
SELECT CAST('b', 'Enum8(\'a\' = 1)')
SELECT CAST(url AS Enum8('a' = 1)) FROM hits
SELECT 'b'::Enum('a' = 1)
SELECT 3::Int8::Enum('a' = 1)
SELECT CAST(NULL AS Enum8('a' = 1))
SELECT CAST('abcd' AS FixedString(3))
SELECT 'abc'::FixedString(3)
SELECT toFixedString(url, 3) FROM hits
SELECT toFixedString('abc', 0)
SELECT CAST('abcd' AS Nullable(FixedString(3)))
SELECT match(url, '[') FROM hits
SELECT match(url, '(') FROM hits
SELECT match(url, '+a') FROM hits
SELECT match(url, 'a**') FROM hits
SELECT match(url, 'a++') FROM hits
SELECT match(url, '\\d') FROM hits
SELECT match(url, '\\H') FROM hits
SELECT match(url, '(?=a)') FROM hits
SELECT match(url, '(?<=a)b') FROM hits
SELECT match(url, '(a)\\1') FROM hits
SELECT match(url, 'a{2,1}') FROM hits
SELECT match(url, 'a{1001}') FROM hits
SELECT match(url, '[b-a]') FROM hits
SELECT match(url, '\\') FROM hits
SELECT match(url, ')') FROM hits
SELECT match(url, '(?P<a>b)') FROM hits
SELECT match(url, '(?<a>b)') FROM hits
SELECT match(url, '*') FROM hits
SELECT match(url, 'a|*') FROM hits
SELECT match(url, '[[:alpha:]]') FROM hits
SELECT match(url, '\\pL') FROM hits
SELECT match(url, '(?i)a') FROM hits
SELECT match(url, '(?z)a') FROM hits
SELECT match(url, '[a') FROM hits
SELECT match(url, 'a{') FROM hits
SELECT match(url, '{') FROM hits
SELECT match(url, '\\Z') FROM hits
SELECT extract(url, '(') FROM hits
SELECT extractAll(url, '(') FROM hits
SELECT replaceRegexpAll(url, '(', '') FROM hits
SELECT replaceRegexpOne(url, '(', '') FROM hits
SELECT replaceRegexpOne(url, '(a)', '\\1') FROM hits
SELECT splitByRegexp('(', url) FROM hits
SELECT countMatches(url, '(') FROM hits
SELECT countMatchesCaseInsensitive(url, '(') FROM hits
SELECT extractGroups(url, '(') FROM hits
SELECT extractAllGroups(url, '(') FROM hits
SELECT regexpExtract(url, '(') FROM hits
SELECT url REGEXP '(' FROM hits
SELECT url REGEXP '[a' FROM hits
SELECT match('a', '(')
SELECT url LIKE '\\' FROM hits
SELECT url LIKE 'a\\' FROM hits
SELECT url ILIKE 'a\\' FROM hits
SELECT JSON_VALUE(body, '$.a') FROM hits
SELECT JSON_VALUE(body, 'a') FROM hits
SELECT JSON_VALUE(body, '$..a') FROM hits
SELECT JSON_QUERY(body, '$[0].a') FROM hits
SELECT JSON_EXISTS(body, '$.a[*]') FROM hits
SELECT JSON_EXISTS(body, '$.a[') FROM hits
SELECT format('{} {}', url, body) FROM hits
SELECT format('{', url) FROM hits
SELECT format('{}{}', url) FROM hits
SELECT format('{0} {}', url, body) FROM hits
SELECT format('{2}', url) FROM hits
SELECT format('{a}', url) FROM hits
SELECT format('}', url) FROM hits
SELECT format('{{}}', url) FROM hits
SELECT format('a', url) FROM hits
SELECT format(url, url) FROM hits
SELECT formatDateTime(at, '%Q') FROM hits
SELECT formatDateTime(at, 'abc') FROM hits
SELECT dateTrunc('foo', at) FROM hits
SELECT toInterval(ms, 'day') FROM hits
SELECT toUUID('a')
SELECT toIPv4('a')
SELECT IPv4StringToNum('a')
SELECT reinterpretAsUUID('a')
SELECT toDate('2022-08-22 01:02:03.5')
SELECT toDate('2022-08-22 01:02')
SELECT toDate('2022-08-22T01:02:03')
SELECT toDate('2022-08-22T01:02:03Z')
SELECT toDate('2022-8-2')
SELECT toDate('2022/08/22')
SELECT toDate('2022-08-22 abc')
SELECT toDate('07-08-2019')
SELECT toDate('20190708')
SELECT toDateTime('2022-08-22 01:02')
SELECT toDateTime('2022-08-22 01:02:03.5')
SELECT toDateTime('2022-08-22 01:02:03 UTC')
SELECT toDateTime('2022-08-22T01:02:03')
SELECT toDateTime('2022-08-22T01:02:03+01:00')
SELECT toDateTime('2022-8-2 1:2:3')
SELECT toDateTime('2022/08/22 01:02:03')
SELECT toDateTime('22/08/2022 01:02:03')
SELECT toDateTime('2022-08-22 01')
SELECT toDateTime('2022-08-22 ')
SELECT toDateTime('2022-08-22 01:02:03abc')
SELECT toDateTime('2022-08-22 abc')
SELECT toDateTime64('2022-08-22 01:02:03.5', 3)
SELECT toDateTime64('2022-08-22 01:02', 3)
SELECT toDateTime64('abc', 3)
SELECT toDateTime64('', 3)
SELECT toDecimal32('abc', 2)
SELECT toDecimal32('1.5', 2)
SELECT toDecimal32('', 2)
SELECT toDecimal64('1e5', 2)
SELECT toInt32('1.5')
SELECT toInt32('1e5')
SELECT toInt32('1 ')
SELECT toFloat64('1,5')
SELECT toFloat64('')
SELECT toInt8('300')
SELECT toUInt8('-1')
SELECT toTime('A:30')
SELECT toTime('12:30')
SELECT toTime64('1', 3)
SELECT parseDateTimeBestEffort('foo')
SELECT parseDateTime64BestEffort('foo')
SELECT parseDateTimeBestEffort('2024-01-01')
SELECT parseDateTimeBestEffort('')
SELECT parseReadableSize('1 KiB')
SELECT parseTimeDelta('1h')
SELECT match('a', ')')
SELECT match('a', '*')
SELECT match('a', 'a**')
SELECT match('a', 'a++')
SELECT match('a', 'a*?')
SELECT match('a', 'a*??')
SELECT match('a', 'a{2,1}')
SELECT match('a', 'a{1000}')
SELECT match('a', 'a{1001}')
SELECT match('a', 'a{2}{3}')
SELECT match('a', 'a{2}*')
SELECT match('a', '{')
SELECT match('a', '{2}')
SELECT match('a', 'a{')
SELECT match('a', 'a{x}')
SELECT match('a', 'a{,3}')
SELECT match('a', '^*')
SELECT match('a', '$*')
SELECT match('a', '(?i)*')
SELECT match('a', '[b-a]')
SELECT match('a', '[]a]')
SELECT match('a', '[^]a]')
SELECT match('a', '[]')
SELECT match('a', '[a')
SELECT match('a', '[[:alpha:]]')
SELECT match('a', '[[:foo:]]')
SELECT match('a', '[\\d-z]')
SELECT match('a', '(?=a)')
SELECT match('a', '(?!a)')
SELECT match('a', '(?<=a)')
SELECT match('a', '(?P<n>a)')
SELECT match('a', '(?<n>a)')
SELECT match('a', '(?P=n)')
SELECT match('a', '(?:a)')
SELECT match('a', '(?i:a)')
SELECT match('a', '(?imsU)a')
SELECT match('a', '(?i-s)a')
SELECT match('a', '(?x)a')
SELECT match('a', '(?#a)')
SELECT match('a', '(?>a)')
SELECT match('a', '(a)\\1')
SELECT match('a', '\\8')
SELECT match('a', '\\0')
SELECT match('a', '\\07')
SELECT match('a', '\\x41')
SELECT match('a', '\\x{41}')
SELECT match('a', '\\xg')
SELECT match('a', '\\pL')
SELECT match('a', '\\p{Greek}')
SELECT match('a', '\\Qa(\\E')
SELECT match('a', '\\Z')
SELECT match('a', '\\z')
SELECT match('a', '\\A')
SELECT match('a', '\\h')
SELECT match('a', '\\e')
SELECT match('a', '\\cA')
SELECT match('a', '\\u0041')
SELECT match('a', '\\-')
SELECT match('a', '\\"')
SELECT match('a', '\\_')
SELECT match('a', '\\ ')
SELECT match('a', '\\')
SELECT match('a', 'a|*')
SELECT match('a', '(*a)')
SELECT match('a', '()')
SELECT match('a', '(|a)')
SELECT match('a', 'a||b')
SELECT match('a', 'x{2}?')
SELECT match('a', '\\b+')
SELECT match('a', '\\C')
SELECT match('a', '\\G')
SELECT match('a', '\\K')
SELECT match('a', '\\R')
SELECT match('a', '\\X')
SELECT match('a', '\\N')
SELECT match('a', '[\\b]')
SELECT match('a', '[\\h]')
SELECT match('a', '(?P<1a>b)')
SELECT match('a', '(?P<n>a)(?P<n>b)')
SELECT match('a', '(((')
SELECT match('a', '\\(')
SELECT match('a', '[(]')
SELECT match('a', '[z-a]')
SELECT match('a', '[a-]')
SELECT match('a', '[-a]')
SELECT match('a', '[a\\]')
SELECT match('a', '[[]')
SELECT match('a', '[[:]')
SELECT JSON_VALUE('{}', '$.a.b')
SELECT JSON_VALUE('{}', '$.a[0]')
SELECT JSON_VALUE('{}', '$.a[*]')
SELECT JSON_VALUE('{}', '$.a[0 to 2]')
SELECT JSON_VALUE('{}', '$["a"]')
SELECT JSON_VALUE('{}', '$.a b')
SELECT JSON_VALUE('{}', '$')
SELECT JSON_VALUE('{}', '')
SELECT JSON_VALUE('{}', 'a')
SELECT JSON_VALUE('{}', '$a')
SELECT JSON_VALUE('{}', '$.')
SELECT JSON_VALUE('{}', '$..a')
SELECT JSON_VALUE('{}', '$.*')
SELECT JSON_VALUE('{}', '$.a.*')
SELECT JSON_VALUE('{}', '$[*]')
SELECT JSON_VALUE('{}', '$.[a]')
SELECT JSON_VALUE('{}', '$.1a')
SELECT JSON_VALUE('{}', '$.a-b')
SELECT JSON_VALUE('{}', '$.a[')
SELECT JSON_VALUE('{}', '$.a]')
SELECT JSON_VALUE('{}', '$.a[-1]')
SELECT JSON_VALUE('{}', '$.a[last]')
SELECT JSON_VALUE('{}', '$.a[0,1]')
SELECT JSON_VALUE('{}', '$.a[?(@.b)]')
SELECT JSON_VALUE('{}', ' $.a')
SELECT JSON_VALUE('{}', '$.a ')
SELECT JSON_VALUE('{}', '$. a')
SELECT JSON_VALUE('{}', '$."a"')
SELECT JSON_VALUE('{}', '$.\'a\'')
SELECT JSON_VALUE('{}', '$[\'a\']')
SELECT JSON_VALUE('{}', '$.a_b')
SELECT JSON_VALUE('{}', '$.ä')
SELECT JSON_VALUE('{}', '$.a$')
SELECT JSON_VALUE('{}', '$[0][1].b')
SELECT JSON_VALUE('{}', 'lax $.a')
SELECT JSON_VALUE('{}', '$.a:b')
SELECT JSON_VALUE('{}', '$.123')
SELECT format('{}', 'a')
SELECT format('{0}{0}', 'a')
SELECT format('{1}', 'a')
SELECT format('{}{0}', 'a')
SELECT format('{ }', 'a')
SELECT format('{{}', 'a')
SELECT format('{}}', 'a')
SELECT format('}}', 'a')
SELECT format('{{', 'a')
SELECT format('{00}', 'a')
SELECT format('{-1}', 'a')
SELECT format('{0', 'a')
SELECT format('abc', 'a')
SELECT format('')
SELECT format('{:d}', 'a')
SELECT format('{}{}', 'a', 1)
SELECT format('{}{}{}', 'a', 1)
SELECT id FROM titles FINAL
SELECT id FROM titles SAMPLE 0.1
SELECT id FROM titles PREWHERE id = 1
SELECT id FROM noisy PREWHERE n = 1
SELECT id FROM noisy FINAL
SELECT id FROM noisy SAMPLE 0.1
SELECT code FROM drugs PREWHERE price = 1
SELECT code FROM drugs PREWHERE price = 1 WHERE code = 'a'
SELECT code FROM drugs PASTE JOIN wards PREWHERE price = 1
SELECT code FROM drugs JOIN wards ON 1 = 1 PREWHERE price = 1
SELECT wards.id FROM wards JOIN drugs ON wards.id = drugs.price PREWHERE wards.id = 1
SELECT wards.id FROM wards JOIN drugs ON wards.id = toUInt64(drugs.price) PREWHERE wards.id = 1
SELECT wards.id FROM drugs JOIN wards ON wards.id = toUInt64(drugs.price) PREWHERE wards.id = 1
SELECT wards.id FROM wards JOIN patients ON wards.id = patients.id PREWHERE patients.id = 1
SELECT noisy.total FROM noisy FULL JOIN titles ON true PREWHERE noisy.id >= '2024-01-01'
SELECT id FROM wards PREWHERE (SELECT 1) = id
SELECT id FROM wards PREWHERE id IN (SELECT id FROM patients)
SELECT id FROM wards PREWHERE EXISTS (SELECT 1 FROM patients WHERE patients.id = wards.id)
SELECT id FROM wards PREWHERE count() > 1
SELECT id AS x FROM wards PREWHERE x = 1
SELECT count() FROM hits SAMPLE 0.1
SELECT count() FROM hits SAMPLE 2
SELECT count() FROM hits SAMPLE 1000000
SELECT count() FROM hits SAMPLE 1/10 OFFSET 1/2
SELECT count() FROM hits SAMPLE 0.1 OFFSET 2
SELECT count() FROM hits SAMPLE 0
SELECT count() FROM hits SAMPLE -1
SELECT count() FROM hits SAMPLE 0.1 OFFSET 0.5 WHERE 1 LIMIT 3
SELECT count() FROM hits SAMPLE 0.1 OFFSET 0.5 LIMIT 3 OFFSET 2
SELECT count() FROM hits AS e SAMPLE 0.1 OFFSET 0.5 JOIN wards j ON true LIMIT 2, 10
SELECT count() FROM hits SAMPLE 0.1 OFFSET 0.5 LIMIT 1 + 1
SELECT count() FROM hits SAMPLE 0.1 OFFSET 0.5 ORDER BY 1 LIMIT 1
SELECT * FROM values('a Int32', 1, 2) FINAL
SELECT * FROM values('a Int32', 1, 2) SAMPLE 0.1
SELECT * FROM values((1,2),(3,4)) SAMPLE 0.1
SELECT * FROM numbers(10) FINAL
SELECT * FROM numbers(10) SAMPLE 0.1
SELECT * FROM null() FINAL
SELECT * FROM null('a Int32') FINAL
SELECT * FROM loop(wards) SAMPLE 0.1
SELECT * FROM loop(wards) FINAL
SELECT * FROM generateRandom('a Int32') FINAL
SELECT * FROM generateRandom('a Int32') SAMPLE 0.5
SELECT * FROM view(SELECT 1 AS a) FINAL
SELECT * FROM view(SELECT 1 AS a) SAMPLE 0.1
SELECT * FROM merge('wards') FINAL
SELECT * FROM dictionary('titles') FINAL
SELECT * FROM values('a Int32', 1, 2) PREWHERE a = 1
SELECT * FROM numbers(10) PREWHERE number = 1
SELECT * FROM (SELECT * FROM wards) FINAL
WITH w AS (SELECT nosuch FROM visits) SELECT * FROM wards WHERE id IN w
WITH w AS (SELECT nosuch FROM visits) SELECT * FROM wards WHERE id IN (SELECT * FROM w)
WITH w AS (SELECT id, reason FROM visits) SELECT * FROM wards WHERE id IN w
WITH w AS (SELECT id, reason FROM visits) SELECT * FROM wards WHERE (id, title) IN w
WITH w AS (SELECT id FROM visits) SELECT * FROM wards WHERE id IN (w)
WITH w AS (SELECT nosuch FROM visits) SELECT * FROM wards WHERE id IN (w)
WITH w AS (SELECT id FROM visits SAMPLE 0.1), v AS (SELECT * FROM w) SELECT 1
WITH RECURSIVE w AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM w WHERE id < 5) SELECT * FROM wards WHERE id IN (SELECT id FROM w)
WITH RECURSIVE w AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM w WHERE id < 5) SELECT * FROM w
SELECT 'a' AS x, 'b' AS x UNION ALL SELECT 1, 'b'
SELECT 'a' AS x, 1 AS y UNION ALL SELECT 1, 'b'
SELECT 1, 1 EXCEPT SELECT 1, 2
SELECT has([1], (id id, 1)) FROM wards
SELECT abs(id x) FROM wards
SELECT abs(id AS x) FROM wards
SELECT (id x, 1) FROM wards
SELECT [id x, 1] FROM wards
SELECT tuple(id x) FROM wards
SELECT count(id x) FROM wards
SELECT if(id > 1 x, 1, 2) FROM wards
SELECT (SELECT 1 x) FROM wards
SELECT (SELECT 1) x FROM wards
SELECT arrayMap(y -> y + 1 z, [1])
SELECT abs((id + 1) x) FROM wards
SELECT id IN (1 x, 2) FROM wards
SELECT CAST(id AS x AS String) FROM wards
SELECT dateAdd(DAY, 1 x, id) FROM wards
SELECT extract(YEAR FROM id x) FROM wards
SELECT id FROM wards ORDER BY id x
SELECT id FROM wards GROUP BY id x
SELECT sum(id) OVER (PARTITION BY title x) FROM wards
SELECT id + 1 x, x FROM wards
SELECT toDate('2020-01-01' AS) FROM wards
SELECT (1 AS, 2)
SELECT 1 AS
SELECT 1 AS, 2
SELECT id FROM (SELECT 1 AS)
SELECT id FROM (SELECT 1 id) AS
SELECT abs(id IN) FROM wards
SELECT (id IN, 1) FROM wards
SELECT id IN FROM wards
SELECT id IN
SELECT id NOT IN FROM wards
SELECT toUInt16(SELECT 1)
SELECT toUInt16((SELECT 1))
SELECT count(SELECT 1)
SELECT if(SELECT 1, 2, 3)
SELECT exists(SELECT 1)
SELECT arraySum(WITH x AS (SELECT [1] AS a) SELECT a FROM x)
SELECT in(1, SELECT 1)
SELECT [SELECT 1]
SELECT (SELECT 1, 2)
SELECT toUInt16(1, SELECT 1)
SELECT count(1, DISTINCT 2)
SELECT sum(DISTINCT id) FROM wards
SELECT abs(DISTINCT id) FROM wards
SELECT tags[1, 2] FROM wards
SELECT tags[] FROM wards
SELECT [1, 2][1]
SELECT id FROM wards 'a' WHERE 1
SELECT id FROM wards AS 'a' WHERE 1
SELECT id FROM wards o JOIN patients 'c' ON o.id = c.id
SELECT count() FROM wards ANY JOIN patients USING ()
SELECT count() FROM wards WITH TOTALS WHERE id > 1
SELECT id FROM wards GROUP BY (6), 1
SELECT id FROM wards GROUP BY (1)
SELECT id FROM wards ORDER BY (6)
SELECT id FROM wards ORDER BY (1)
SELECT id FROM wards ORDER BY ((2))
SELECT id FROM wards LIMIT 1 BY (6)
SELECT id FROM wards SETTINGS ORDER BY id = 1
SELECT id FROM wards SETTINGS max_threads HAVING 1 = 1
SELECT id FROM wards SETTINGS max_threads 1
SELECT id FROM wards SETTINGS = 1
SELECT numbers(0 HAVING 1)
SELECT abs(id LIMIT 1) FROM wards
SELECT sum(id LIMIT 1) FROM wards
SELECT sum(id ORDER BY id) FROM wards
SELECT groupArray(id ORDER BY id) FROM wards
SELECT abs(id ORDER BY id) FROM wards
SELECT abs(id FINAL) FROM wards
SELECT abs(id END) FROM wards
SELECT abs(id USING) FROM wards
SELECT (id BY, 1) FROM wards
SELECT and(1, 2), or(1, 0), not(1), xor(1, 1)
SELECT NOT(1), XOR(1, 1)
SELECT ALL(id) FROM wards
SELECT x -> x + 1
SELECT id FROM wards CROSS CROSS JOIN patients
SELECT id FROM wards LEFT LEFT JOIN patients USING (id)
SELECT id FROM wards ANY ANY JOIN patients USING (id)
SELECT id, FROM wards
SELECT id FROM wards WHERE
SELECT id FROM wards WHERE id = 1 AND
-- first items of arrays and texts
SELECT topics[0] FROM hits
SELECT arrayElement(topics, 0) FROM hits
SELECT qtys[0] FROM sales
SELECT qtys[-1] FROM sales
SELECT [1, 2][0]
SELECT [ms, 2][0] FROM hits
SELECT x[0] FROM (SELECT [1] AS x)
SELECT [1] AS x, x[0]
SELECT arrayMap(x -> x[0], [topics]) FROM hits
SELECT route[0] FROM hits
SELECT params['a'][0] FROM hits
SELECT groupArray(ms)[0] FROM hits
SELECT topics[ms] FROM hits
SELECT if(1, topics[0], 'a') FROM hits
SELECT topics[0] IS NULL FROM hits
SELECT scores[0] FROM people
SELECT count() FROM hits WHERE topics[0] = 'a'
SELECT count() FROM hits PREWHERE topics[0] = 'a'
SELECT toTypeName(topics[0]) FROM hits
SELECT line_items[0].sku FROM orders
SELECT arrayElement(line_items.sku, 0) FROM orders
SELECT items.sku[0] FROM sales
SELECT substring(url, 0) FROM hits
SELECT substring('abc', 0)
SELECT substring(url, 0, 1) FROM hits
SELECT substr(url, 0) FROM hits
SELECT mid(url, 0, 2) FROM hits
SELECT substringUTF8(url, 0) FROM hits
SELECT topics[NULL] FROM hits
SELECT topics['a'] FROM hits
SELECT topics[is_bot] FROM hits
SELECT params[1] FROM hits
SELECT limits['a'] FROM people
SELECT limits[1] FROM people
SELECT url[1] FROM hits
WITH it AS (SELECT url FROM hits) SELECT it.url FROM it AS i
WITH it AS (SELECT url FROM hits) SELECT it.urls FROM it AS i
WITH it AS (SELECT url FROM hits) SELECT it.url FROM it AS i JOIN it AS j ON i.url = j.url
WITH it AS (SELECT url FROM hits) SELECT (SELECT it.url) FROM it AS i
WITH it AS (SELECT url FROM hits) SELECT it.url FROM (SELECT url FROM it) AS i
SELECT numbers.number FROM numbers(3) AS n
-- Comparisons that read no text: keys of joins, <=>; parts of grouped columns; arrays of unlike literals; IN in PREWHERE
SELECT -'a'
SELECT -title FROM wards
SELECT - -beds FROM wards
SELECT count() FROM customers WHERE full_name <=> 1
SELECT count() FROM customers WHERE email IS NOT DISTINCT FROM 1
SELECT count() FROM customers WHERE signup IS DISTINCT FROM '2024-01-01'
SELECT count() FROM customers WHERE ltv <=> NULL
SELECT count() FROM customers WHERE ltv IS DISTINCT FROM 1.5
SELECT count() FROM orders AS o LEFT JOIN customers AS c ON o.customer_id = c.full_name
SELECT count() FROM orders AS o LEFT JOIN customers AS c ON o.customer_id = c.email
SELECT count() FROM orders AS o JOIN customers AS c ON o.order_id = c.customer_id AND o.created_at = c.signup
SELECT count() FROM orders AS o JOIN customers AS c ON o.tax = c.customer_id
SELECT count() FROM orders AS o JOIN customers AS c ON o.amount = c.customer_id
SELECT count() FROM orders AS o JOIN customers AS c ON o.created_at = c.customer_id
SELECT count() FROM orders AS o JOIN customers AS c ON toDate(o.created_at) = c.signup
SELECT count() FROM orders AS o JOIN customers AS c ON o.status = c.segment
SELECT count() FROM orders AS o JOIN customers AS c ON o.customer_id = c.segment
SELECT count() FROM orders AS o JOIN (SELECT 'a' AS k) AS s ON o.customer_id = s.k
SELECT count() FROM orders AS o JOIN (SELECT toString(customer_id) AS k FROM customers) AS s ON o.customer_id = s.k
SELECT count() FROM orders JOIN (SELECT full_name AS customer_id FROM customers) AS s USING (customer_id)
SELECT count() FROM orders JOIN (SELECT signup AS customer_id FROM customers) AS s USING (customer_id)
SELECT count() FROM orders JOIN (SELECT toInt32(customer_id) AS customer_id FROM customers) AS s USING (customer_id)
SELECT count() FROM orders JOIN (SELECT toFloat64(customer_id) AS customer_id FROM customers) AS s USING (customer_id)
SELECT count() FROM orders JOIN (SELECT toNullable(customer_id) AS customer_id FROM customers) AS s USING (customer_id)
SELECT count() FROM orders JOIN (SELECT tags AS customer_id FROM page_events) AS s USING (customer_id)
SELECT order_id FROM orders PREWHERE order_id IN (1, 'a')
SELECT order_id FROM orders PREWHERE order_id IN ('a')
SELECT order_id FROM orders PREWHERE order_id IN ('1')
SELECT order_id FROM orders PREWHERE order_id = 'a'
SELECT geo, geo.city FROM page_events GROUP BY geo
SELECT geo.city FROM page_events GROUP BY geo
SELECT geo.2 FROM page_events GROUP BY geo
SELECT tupleElement(geo, 'city') FROM page_events GROUP BY geo
SELECT geo.city FROM page_events GROUP BY geo, geo.city
SELECT geo.city FROM page_events GROUP BY ALL
SELECT geo.city FROM (SELECT geo FROM page_events) GROUP BY geo
SELECT p.geo.city FROM page_events AS p GROUP BY p.geo
SELECT count() FROM page_events GROUP BY geo HAVING geo.city = 'a'
SELECT count() FROM page_events GROUP BY geo ORDER BY geo.city
SELECT props.keys FROM page_events GROUP BY props
SELECT revenue.null FROM page_events GROUP BY revenue
SELECT nums.size0 FROM page_events GROUP BY nums
SELECT max(geo.city) FROM page_events GROUP BY geo
SELECT revenue IS NULL FROM page_events GROUP BY revenue
SELECT payload IN ('a') FROM orders
SELECT toUnixTimestamp(created_at) <=> order_id FROM orders
SELECT count() FROM orders AS o LEFT JOIN customers AS c ON o.customer_id = c.customer_id AND o.created_at >= c.full_name
SELECT count() FROM orders AS o FULL JOIN customers AS c ON o.customer_id = c.customer_id AND o.order_id != c.full_name
SELECT count() FROM orders AS o JOIN customers AS c ON o.customer_id = c.customer_id AND o.created_at >= c.full_name
SELECT count() FROM orders AS o LEFT JOIN customers AS c ON o.customer_id = c.customer_id AND o.order_id < c.signup
SELECT count() FROM orders AS o LEFT JOIN customers AS c ON o.customer_id = c.customer_id AND o.created_at >= o.status
SELECT count() FROM orders AS o SEMI JOIN customers AS c ON o.tax = c.customer_id
SELECT count() FROM orders AS o, customers AS c WHERE o.tax = c.customer_id
SELECT [1, 'a']
SELECT [1, NULL, 'a'] AS x FROM orders
SELECT arrayJoin([111, 222, '', 444]) AS x
SELECT groupArray([1, 'a']) FROM orders
SELECT length([1, 'a']), arrayDistinct([1, 'a']), map('x', [1, 'a'])
SELECT [1, toString(2)], [1, today()], [order_id, status] FROM orders
SELECT order_id FROM orders WHERE length([1, 'a']) > 1
SELECT [1, 2.5], [1, true], [1, NULL]
SELECT ['a', 1.5]
SELECT [(1, 'a'), (2, 3)]
