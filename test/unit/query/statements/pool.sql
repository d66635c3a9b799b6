-- {}
tag JgCQeJPuZRTSYa5_Ujd2Jwkfzl5
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY _row
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":2}

-- {"$format":"json"}
tag IIMIvrZYe3IVeHpZ5pr1B9nlJIF
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY _row
FORMAT JSONEachRow
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_json_array_of_rows":1,"output_format_json_quote_64bit_integers":0,"output_format_json_quote_decimals":0,"output_format_json_quote_64bit_floats":0,"output_format_json_quote_denormals":0,"output_format_json_escape_forward_slashes":0,"output_format_json_named_tuples_as_objects":1,"output_format_json_validate_utf8":0,"shard":2}

-- {"$select":"Country,Price"}
tag bxJZt4DAs2jQS44XUhVDP5pSjmr
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY _row
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":2}

-- {"$filter":"Country eq 'France' and Price gt 10"}
tag y2S2tquUXKYPLBADHh-Lux45g7F
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
AND (((c1_s = {p0:String}) AND (c3_n38_4 > {p1:Decimal(38, 4)})))
ORDER BY _row
FORMAT CSVWithNames
{"p0":"France","p1":"10.0000","segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":2}

-- {"$filter":"Volume lt 0.5","$top":"10"}
tag mGNUFAaeFITcL7mJZQp7tHrQ2Ro
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
AND ((c4_f < {p0:Float64}))
ORDER BY _row LIMIT 10
FORMAT CSVWithNames
{"p0":0.5,"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":2}

SELECT toString(count()) AS n FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
AND ((c4_f < {p0:Float64})) FORMAT JSONEachRow
{"p0":0.5,"segments":[9001],"segmentsCount":100}
{"shard":2}

-- {"$orderby":"Price desc,Country","$top":"5"}
tag nQnKS-CtF87cc_7yWLMkd1nomSg
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY c3_n38_4 DESC NULLS LAST, c1_s ASC NULLS LAST, _row LIMIT 5
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":2}

-- {"$skip":"150000","$top":"10"}
tag SwhZx1GyQOaNNzwAx9eZicjf7c9
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY _row LIMIT 10 OFFSET 150000
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":2}

-- {"$skip":"10","$top":"10"}
tag ahN7toAnhKdS3gB57rcBRmhMryV
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY _row LIMIT 10 OFFSET 10
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","read_in_order_two_level_merge_threshold":100,"shard":2}

-- {"$last":"3"}
tag NRWjgjGTGtOXJO2BkLl5Gzswdsp
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
AND c2_d >= (SELECT min(d) FROM (SELECT c2_d AS d FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
        AND c2_d IS NOT NULL GROUP BY d ORDER BY d DESC LIMIT 3))
ORDER BY _row
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":2}

-- {"$last":"2","$filter":"Country ne 'France'","dropNA":"true"}
tag NuQY0W97xi5_4YbXsA8Gm7LVdUP
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
AND ((NOT (ifNull((c1_s = {p0:String}), 0))))
AND c2_d >= (SELECT min(d) FROM (SELECT c2_d AS d FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND ((NOT (ifNull((c1_s = {p0:String}), 0))))
        AND c2_d IS NOT NULL GROUP BY d ORDER BY d DESC LIMIT 2))
AND NOT (c3_n38_4 IS NULL AND c4_f IS NULL)
ORDER BY _row
FORMAT CSVWithNames
{"p0":"France","segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":2}

-- {"$distinct":"true","$select":"Country"}
tag AAqMKgNJcvxOQ_bBq4rb0laACCh
SELECT c1_s AS `Country`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY _row LIMIT 1 BY c1_s
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"\"\"","shard":2}

-- {"$distinct":"true","$select":"Country","$pagesize":"10"}
tag Ee4nNbOE4OhSEETT1bD87VaFiFR
SELECT c1_s AS `Country`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY _row LIMIT 1 BY c1_s LIMIT 10
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"\"\"","read_in_order_two_level_merge_threshold":100,"shard":2}

SELECT toString(_row) AS position FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY _row LIMIT 1 BY c1_s LIMIT 1 OFFSET 10 FORMAT JSONEachRow
{"segments":[9001],"segmentsCount":100}
{"shard":2}

-- {"$pagesize":"1000"}
tag aQK6C-2q1W_aRacaKUlekPoTVN2
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY _row LIMIT 1000
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","read_in_order_two_level_merge_threshold":100,"shard":2}

SELECT toString(_row) AS position FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY _row LIMIT 1 OFFSET 1000 FORMAT JSONEachRow
{"segments":[9001],"segmentsCount":100}
{"shard":2}

-- {"$pagesize":"1000","$orderby":"Date desc"}
tag cXvHBrChwm6jRY6u46I73gIh90X
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY c2_d DESC NULLS LAST, _row LIMIT 1000
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":2}

SELECT toString(_row) AS position FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY c2_d DESC NULLS LAST, _row LIMIT 1 OFFSET 1000 FORMAT JSONEachRow
{"segments":[9001],"segmentsCount":100}
{"shard":2}

-- {"$apply":"groupby((Country),aggregate(Price with sum as Total))"}
tag 659LD46pgzdSIzt4uvckG1PwQkX
SELECT (toString(max(abs(c3_n38_4))), 0, toString(sum(abs(toFloat64(c3_n38_4))))) AS f0 FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) FORMAT JSONEachRow
{"segments":[9001],"segmentsCount":100}
{"output_format_json_quote_64bit_integers":0,"output_format_json_named_tuples_as_objects":0,"shard":2}

SELECT c1_s AS `Country`,
c2_f AS `Total`
FROM (SELECT toNullable(x1) AS c1_s, toNullable(x2) AS c2_f, rowNumberInAllBlocks() AS _row FROM (SELECT x1, x2 FROM (SELECT c1_s AS x1, toFloat64(sum(c3_n38_4)) AS x2 FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) GROUP BY x1 SETTINGS max_bytes_before_external_group_by = 0, max_bytes_ratio_before_external_group_by = 0) ORDER BY x1 ASC NULLS LAST)) WHERE true
ORDER BY _row
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":2}

-- {"$apply":"groupby((Country),aggregate(Price with first as First,Volume with last as Last))"}
tag eqhVfFuiKCEUWGvFrT2u-yan43o
SELECT (toString(max(abs(c3_n38_4))), 0, toString(sum(abs(toFloat64(c3_n38_4))))) AS f0, (toString(maxOrNull(abs(c4_f))), maxIf(multiIf(assumeNotNull(c4_f) = round(assumeNotNull(c4_f)), 0, abs(assumeNotNull(c4_f)) < 9e14 AND round(assumeNotNull(c4_f) * 1e1) / 1e1 = assumeNotNull(c4_f), 1, abs(assumeNotNull(c4_f)) < 9e13 AND round(assumeNotNull(c4_f) * 1e2) / 1e2 = assumeNotNull(c4_f), 2, abs(assumeNotNull(c4_f)) < 9e12 AND round(assumeNotNull(c4_f) * 1e3) / 1e3 = assumeNotNull(c4_f), 3, abs(assumeNotNull(c4_f)) < 9e11 AND round(assumeNotNull(c4_f) * 1e4) / 1e4 = assumeNotNull(c4_f), 4, abs(assumeNotNull(c4_f)) < 9e10 AND round(assumeNotNull(c4_f) * 1e5) / 1e5 = assumeNotNull(c4_f), 5, abs(assumeNotNull(c4_f)) < 9e9 AND round(assumeNotNull(c4_f) * 1e6) / 1e6 = assumeNotNull(c4_f), 6, greatest(0, toInt32(length(splitByChar('.', splitByChar('e', toString(assumeNotNull(c4_f)))[1])[2])) - toInt32OrZero(splitByChar('e', toString(assumeNotNull(c4_f)))[2]))), c4_f IS NOT NULL), toString(sum(abs(c4_f)))) AS f1 FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) FORMAT JSONEachRow
{"segments":[9001],"segmentsCount":100}
{"output_format_json_quote_64bit_integers":0,"output_format_json_named_tuples_as_objects":0,"shard":2}

SELECT c1_s AS `Country`,
c2_n38_4 AS `First`,
c3_f AS `Last`
FROM (SELECT toNullable(x1) AS c1_s, toNullable(x2) AS c2_n38_4, toNullable(x3) AS c3_f, rowNumberInAllBlocks() AS _row FROM (SELECT x1, x2, x3 FROM (SELECT c1_s AS x1, argMin(c3_n38_4, _row) AS x2, argMax(c4_f, _row) AS x3 FROM (SELECT _seg, _row, s0 AS c1_s, d0 AS c2_d, reinterpret(i0, 'Decimal(38, 4)') AS c3_n38_4, f0 AS c4_f FROM db.pool_narrow) WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.pool_narrow WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) GROUP BY x1 SETTINGS max_bytes_before_external_group_by = 0, max_bytes_ratio_before_external_group_by = 0) ORDER BY x1 ASC NULLS LAST)) WHERE true
ORDER BY _row
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":100}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":2}
