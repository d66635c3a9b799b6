SELECT (countIf(isNull(c1_s)), uniqExact(c1_s) AS distinct_1, distinct_1,
    if(lengthUTF8(toString(min(c1_s))) > 200, concat(substringUTF8(toString(min(c1_s)), 1, 200), '…'), toString(min(c1_s))), if(lengthUTF8(toString(max(c1_s))) > 200, concat(substringUTF8(toString(max(c1_s)), 1, 200), '…'), toString(max(c1_s))), NULL, [], NULL, NULL, max(length(c1_s))),
(countIf(isNull(c2_d)), length(arrayCompact(arraySort(groupArray(c2_d)) AS sorted_2)) AS distinct_2, distinct_2,
    toString(min(c2_d)), toString(max(c2_d)), multiIf(isFinite(avg(toFloat64(toInt32(c2_d)))), avg(toFloat64(toInt32(c2_d))), isFinite(NULL), NULL, NULL), if(empty(sorted_2), [], arrayMap(h -> if(isFinite(toFloat64(toInt32(sorted_2[least(toUInt64(h) + 1, length(sorted_2))])) - toFloat64(toInt32(sorted_2[toUInt64(h)]))), toFloat64(toInt32(sorted_2[toUInt64(h)])) + (h - toUInt64(h)) * (toFloat64(toInt32(sorted_2[least(toUInt64(h) + 1, length(sorted_2))])) - toFloat64(toInt32(sorted_2[toUInt64(h)]))), toFloat64(toInt32(sorted_2[toUInt64(h)])) * (1 - (h - toUInt64(h))) + toFloat64(toInt32(sorted_2[least(toUInt64(h) + 1, length(sorted_2))])) * (h - toUInt64(h))),
    arrayMap(level -> 1 + level * (length(sorted_2) - 1), [0.05, 0.25, 0.5, 0.75, 0.95]))), min(toFloat64(toInt32(c2_d))), max(toFloat64(toInt32(c2_d))), NULL),
(countIf(isNull(c3_n38_4)), uniqExact(c3_n38_4) AS distinct_3, distinct_3,
    toString(min(c3_n38_4)), toString(max(c3_n38_4)), multiIf(isFinite(avg(toFloat64(c3_n38_4))), avg(toFloat64(c3_n38_4)), isFinite(NULL), NULL, NULL), quantilesExactInclusive(0.05, 0.25, 0.5, 0.75, 0.95)(ifNull(toFloat64(c3_n38_4), nan)), min(toFloat64(c3_n38_4)), max(toFloat64(c3_n38_4)), NULL),
(countIf(isNull(c4_f)), length(arrayCompact(arraySort(groupArray((c4_f + 0))) AS sorted_4)) AS distinct_4, distinct_4,
    toString(min(c4_f)), toString(max(c4_f)), multiIf(isFinite(avg(toFloat64(c4_f))), avg(toFloat64(c4_f)), isFinite(avgOrNull(toFloat64(c4_f) / 7.922816251426434e+28) * 7.922816251426434e+28), avgOrNull(toFloat64(c4_f) / 7.922816251426434e+28) * 7.922816251426434e+28, NULL), if(empty(sorted_4), [], arrayMap(h -> if(isFinite(toFloat64(sorted_4[least(toUInt64(h) + 1, length(sorted_4))]) - toFloat64(sorted_4[toUInt64(h)])), toFloat64(sorted_4[toUInt64(h)]) + (h - toUInt64(h)) * (toFloat64(sorted_4[least(toUInt64(h) + 1, length(sorted_4))]) - toFloat64(sorted_4[toUInt64(h)])), toFloat64(sorted_4[toUInt64(h)]) * (1 - (h - toUInt64(h))) + toFloat64(sorted_4[least(toUInt64(h) + 1, length(sorted_4))]) * (h - toUInt64(h))),
    arrayMap(level -> 1 + level * (length(sorted_4) - 1), [0.05, 0.25, 0.5, 0.75, 0.95]))), min(toFloat64(c4_f)), max(toFloat64(c4_f)), NULL) FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) FORMAT JSONCompactEachRow
{"segments":[9001],"segmentsCount":400000}
{"max_threads":1,"output_format_json_quote_64bit_integers":0,"output_format_json_quote_denormals":0,"shard":1}

SELECT (countIf(isNull(c3_n38_4)), uniqExact(c3_n38_4) AS distinct_3, distinct_3,
    toString(min(c3_n38_4)), toString(max(c3_n38_4)), multiIf(isFinite(avg(toFloat64(c3_n38_4))), avg(toFloat64(c3_n38_4)), isFinite(NULL), NULL, NULL), quantilesExactInclusive(0.05, 0.25, 0.5, 0.75, 0.95)(ifNull(toFloat64(c3_n38_4), nan)), min(toFloat64(c3_n38_4)), max(toFloat64(c3_n38_4)), NULL) FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
AND ((c1_s = {p0:String})) FORMAT JSONCompactEachRow
{"p0":"France","segments":[9001],"segmentsCount":400000}
{"max_threads":1,"output_format_json_quote_64bit_integers":0,"output_format_json_quote_denormals":0,"shard":1}

SELECT count() AS found, sum(length(v)) AS size,
     if(size <= 1048576, arraySort(x -> (-toInt64(x.2), x.1), groupArray((v, n))), []) FROM (SELECT k AS v, n FROM (SELECT assumeNotNull(c1_s) AS k, count() AS n FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
      AND c1_s IS NOT NULL GROUP BY k)) FORMAT JSONCompactEachRow
{"segments":[9001],"segmentsCount":400000}
{"max_rows_to_group_by":10000,"group_by_overflow_mode":"break","output_format_json_quote_64bit_integers":0,"output_format_json_quote_denormals":0,"shard":1}

SELECT count() AS found, sum(length(v)) AS size,
     if(size <= 16777216, arraySort(x -> (-toInt64(x.2), x.1), groupArray((v, n))), []) FROM (SELECT assumeNotNull(c1_s) AS v, count() AS n FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
      AND c1_s IS NOT NULL AND startsWith(c1_s, {prefix:String}) GROUP BY v ORDER BY n DESC, v LIMIT 1000) FORMAT JSONCompactEachRow
{"segments":[9001],"segmentsCount":400000,"prefix":"F"}
{"output_format_json_quote_64bit_integers":0,"output_format_json_quote_denormals":0,"shard":1}

SELECT count() FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
AND ((c1_s = {p0:String})) FORMAT JSONCompactEachRow
{"p0":"France","segments":[9001],"segmentsCount":400000}
{"output_format_json_quote_64bit_integers":0,"output_format_json_quote_denormals":0,"shard":1}

SELECT countResample(0, 20, 1)(ifNull(toInt32(least((toFloat64(assumeNotNull(c3_n38_4)) - toFloat64(1)) / toFloat64(0.4), 19)) - (toFloat64(assumeNotNull(c3_n38_4)) < toFloat64(1) + toFloat64(0.4) * toInt32(least((toFloat64(assumeNotNull(c3_n38_4)) - toFloat64(1)) / toFloat64(0.4), 19))) + (toInt32(least((toFloat64(assumeNotNull(c3_n38_4)) - toFloat64(1)) / toFloat64(0.4), 19)) < 19 AND toFloat64(assumeNotNull(c3_n38_4)) >= toFloat64(1) + toFloat64(0.4) * (toInt32(least((toFloat64(assumeNotNull(c3_n38_4)) - toFloat64(1)) / toFloat64(0.4), 19)) + 1)), -1)) FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
AND ((c1_s = {p0:String})) FORMAT JSONCompactEachRow
{"p0":"France","segments":[9001],"segmentsCount":400000}
{"max_threads":1,"output_format_json_quote_64bit_integers":0,"output_format_json_quote_denormals":0,"shard":1}

SELECT countResample(0, 20, 1)(ifNull(toInt32(least((undefined - toFloat64(1)) / toFloat64(0.4), 19)) - (undefined < toFloat64(1) + toFloat64(0.4) * toInt32(least((undefined - toFloat64(1)) / toFloat64(0.4), 19))) + (toInt32(least((undefined - toFloat64(1)) / toFloat64(0.4), 19)) < 19 AND undefined >= toFloat64(1) + toFloat64(0.4) * (toInt32(least((undefined - toFloat64(1)) / toFloat64(0.4), 19)) + 1)), -1)),
countResample(0, 20, 1)(ifNull(toInt32(least((toFloat64(toInt32(assumeNotNull(c2_d))) - toFloat64(1)) / toFloat64(0.4), 19)) - (toFloat64(toInt32(assumeNotNull(c2_d))) < toFloat64(1) + toFloat64(0.4) * toInt32(least((toFloat64(toInt32(assumeNotNull(c2_d))) - toFloat64(1)) / toFloat64(0.4), 19))) + (toInt32(least((toFloat64(toInt32(assumeNotNull(c2_d))) - toFloat64(1)) / toFloat64(0.4), 19)) < 19 AND toFloat64(toInt32(assumeNotNull(c2_d))) >= toFloat64(1) + toFloat64(0.4) * (toInt32(least((toFloat64(toInt32(assumeNotNull(c2_d))) - toFloat64(1)) / toFloat64(0.4), 19)) + 1)), -1)),
countResample(0, 20, 1)(ifNull(toInt32(least((toFloat64(assumeNotNull(c3_n38_4)) - toFloat64(1)) / toFloat64(0.4), 19)) - (toFloat64(assumeNotNull(c3_n38_4)) < toFloat64(1) + toFloat64(0.4) * toInt32(least((toFloat64(assumeNotNull(c3_n38_4)) - toFloat64(1)) / toFloat64(0.4), 19))) + (toInt32(least((toFloat64(assumeNotNull(c3_n38_4)) - toFloat64(1)) / toFloat64(0.4), 19)) < 19 AND toFloat64(assumeNotNull(c3_n38_4)) >= toFloat64(1) + toFloat64(0.4) * (toInt32(least((toFloat64(assumeNotNull(c3_n38_4)) - toFloat64(1)) / toFloat64(0.4), 19)) + 1)), -1)),
countResample(0, 20, 1)(ifNull(toInt32(least((toFloat64(assumeNotNull(c4_f)) - toFloat64(1)) / toFloat64(0.4), 19)) - (toFloat64(assumeNotNull(c4_f)) < toFloat64(1) + toFloat64(0.4) * toInt32(least((toFloat64(assumeNotNull(c4_f)) - toFloat64(1)) / toFloat64(0.4), 19))) + (toInt32(least((toFloat64(assumeNotNull(c4_f)) - toFloat64(1)) / toFloat64(0.4), 19)) < 19 AND toFloat64(assumeNotNull(c4_f)) >= toFloat64(1) + toFloat64(0.4) * (toInt32(least((toFloat64(assumeNotNull(c4_f)) - toFloat64(1)) / toFloat64(0.4), 19)) + 1)), -1)),
arrayMap(x -> (if(lengthUTF8(x.1) > 200, concat(substringUTF8(x.1, 1, 200), '…'), x.1), x.2), arraySlice(arraySort(x -> (-toInt64(x.2), x.1),
    topK(2000, 1, 'counts')(c1_s)), 1, 10)) FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) FORMAT JSONCompactEachRow
{"segments":[9001],"segmentsCount":400000}
{"max_threads":1,"output_format_json_quote_64bit_integers":0,"output_format_json_quote_denormals":0,"shard":1}
