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
