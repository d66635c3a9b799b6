-- {}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$format":"json"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row
FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_json_array_of_rows":1,"output_format_json_quote_64bit_integers":0,"output_format_json_quote_decimals":0,"output_format_json_quote_64bit_floats":0,"output_format_json_quote_denormals":0,"output_format_json_escape_forward_slashes":0,"output_format_json_named_tuples_as_objects":1,"output_format_json_validate_utf8":0,"shard":null}

-- {"$select":"Country,Price"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$filter":"Country eq 'France' and Price gt 10"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND (((c3_n38_4 > {p0:Decimal(38, 4)}) AND (c1_s = {p1:String})))
ORDER BY _row
FORMAT CSVWithNames
{"p0":"10.0000","p1":"France","segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$filter":"Volume lt 0.5","$top":"10"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND ((c4_f < {p0:Float64}))
ORDER BY _row LIMIT 10
FORMAT CSVWithNames
{"p0":0.5,"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

SELECT toString(count()) AS n FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND ((c4_f < {p0:Float64})) FORMAT JSONEachRow
{"p0":0.5,"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"shard":null}

-- {"$orderby":"Price desc,Country","$top":"5"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY c3_n38_4 DESC NULLS LAST, c1_s ASC NULLS LAST, _row LIMIT 5
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$skip":"150000","$top":"10"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row LIMIT 10 OFFSET 150000
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$skip":"10","$top":"10"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row LIMIT 10 OFFSET 10
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","read_in_order_two_level_merge_threshold":100,"shard":null}

-- {"$last":"3"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND c2_d >= (SELECT minOrNull(d) FROM (SELECT c2_d AS d FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
        AND c2_d IS NOT NULL GROUP BY d ORDER BY d DESC LIMIT 3))
ORDER BY _row
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$last":"2","$filter":"Country ne 'France'","dropNA":"true"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND ((NOT (ifNull((c1_s = {p0:String}), 0))))
AND c2_d >= (SELECT minOrNull(d) FROM (SELECT c2_d AS d FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})) AND ((NOT (ifNull((c1_s = {p0:String}), 0))))
        AND c2_d IS NOT NULL GROUP BY d ORDER BY d DESC LIMIT 2))
AND NOT (c3_n38_4 IS NULL AND c4_f IS NULL)
ORDER BY _row
FORMAT CSVWithNames
{"p0":"France","segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$distinct":"true","$select":"Country"}
SELECT c1_s AS `Country`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row LIMIT 1 BY c1_s
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"\"\"","shard":null}

-- {"$distinct":"true","$select":"Country","$pagesize":"10"}
SELECT c1_s AS `Country`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row LIMIT 1 BY c1_s LIMIT 10
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"\"\"","read_in_order_two_level_merge_threshold":100,"shard":null}

SELECT toString(_row) AS position FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row LIMIT 1 BY c1_s LIMIT 1 OFFSET 10 FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"shard":null}

-- {"$pagesize":"1000"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row LIMIT 1000
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","read_in_order_two_level_merge_threshold":100,"shard":null}

SELECT toString(_row) AS position FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row LIMIT 1 OFFSET 1000 FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"shard":null}

-- {"$pagesize":"1000","$orderby":"Date desc"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY c2_d DESC NULLS LAST, _row LIMIT 1000
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

SELECT toString(_row) AS position FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY c2_d DESC NULLS LAST, _row LIMIT 1 OFFSET 1000 FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"shard":null}

-- {"$apply":"groupby((Country),aggregate(Price with sum as Total))"}
SELECT (toString(max(abs(c3_n38_4))), 0, toString(sum(abs(toFloat64(c3_n38_4))))) AS f0 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})) FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_json_quote_64bit_integers":0,"output_format_json_named_tuples_as_objects":0,"shard":null}

SELECT c1_s AS `Country`,
c2_f AS `Total`
FROM (SELECT toNullable(x1) AS c1_s, toNullable(x2) AS c2_f, rowNumberInAllBlocks() AS _row FROM (SELECT x1, x2 FROM (SELECT c1_s AS x1, toFloat64(sum(c3_n38_4)) AS x2 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})) GROUP BY x1 SETTINGS max_bytes_before_external_group_by = 0, max_bytes_ratio_before_external_group_by = 0) ORDER BY x1 ASC NULLS LAST)) WHERE true
ORDER BY _row
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$apply":"groupby((Country),aggregate(Price with first as First,Volume with last as Last))"}
SELECT (toString(max(abs(c3_n38_4))), 0, toString(sum(abs(toFloat64(c3_n38_4))))) AS f0, (toString(maxOrNull(abs(c4_f))), maxIf(multiIf(assumeNotNull(c4_f) = round(assumeNotNull(c4_f)), 0, abs(assumeNotNull(c4_f)) < 9e14 AND round(assumeNotNull(c4_f) * 1e1) / 1e1 = assumeNotNull(c4_f), 1, abs(assumeNotNull(c4_f)) < 9e13 AND round(assumeNotNull(c4_f) * 1e2) / 1e2 = assumeNotNull(c4_f), 2, abs(assumeNotNull(c4_f)) < 9e12 AND round(assumeNotNull(c4_f) * 1e3) / 1e3 = assumeNotNull(c4_f), 3, abs(assumeNotNull(c4_f)) < 9e11 AND round(assumeNotNull(c4_f) * 1e4) / 1e4 = assumeNotNull(c4_f), 4, abs(assumeNotNull(c4_f)) < 9e10 AND round(assumeNotNull(c4_f) * 1e5) / 1e5 = assumeNotNull(c4_f), 5, abs(assumeNotNull(c4_f)) < 9e9 AND round(assumeNotNull(c4_f) * 1e6) / 1e6 = assumeNotNull(c4_f), 6, greatest(0, toInt32(length(splitByChar('.', splitByChar('e', toString(assumeNotNull(c4_f)))[1])[2])) - toInt32OrZero(splitByChar('e', toString(assumeNotNull(c4_f)))[2]))), c4_f IS NOT NULL), toString(sum(abs(c4_f)))) AS f1 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})) FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_json_quote_64bit_integers":0,"output_format_json_named_tuples_as_objects":0,"shard":null}

SELECT c1_s AS `Country`,
c2_n38_4 AS `First`,
c3_f AS `Last`
FROM (SELECT toNullable(x1) AS c1_s, toNullable(x2) AS c2_n38_4, toNullable(x3) AS c3_f, rowNumberInAllBlocks() AS _row FROM (SELECT x1, x2, x3 FROM (SELECT c1_s AS x1, argMin(c3_n38_4, _row) AS x2, argMax(c4_f, _row) AS x3 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})) GROUP BY x1 SETTINGS max_bytes_before_external_group_by = 0, max_bytes_ratio_before_external_group_by = 0) ORDER BY x1 ASC NULLS LAST)) WHERE true
ORDER BY _row
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$apply":"filter(Volume gt 1)/compute(Price mul 2 as Twice)","$filter":"Twice gt 4"}
SELECT (toString(max(abs(c3_n38_4))), 0, toString(sum(abs(toFloat64(c3_n38_4))))) AS f0 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})) FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_json_quote_64bit_integers":0,"output_format_json_named_tuples_as_objects":0,"shard":null}

SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`,
c5_f AS `Twice`
FROM (SELECT toNullable(c1_s) AS c1_s, toNullable(c2_d) AS c2_d, toNullable(c3_n38_4) AS c3_n38_4, toNullable(c4_f) AS c4_f, toNullable(x1) AS c5_f, _row FROM (SELECT c1_s, c2_d, c3_n38_4, c4_f, _row, toNullable(toFloat64((toDecimal256(c3_n38_4, 4) * {a1:Decimal(76, 0)}))) AS x1 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})) AND ((c4_f > {a0:Float64})))) WHERE true
AND ((c5_f > {p0:Float64}))
ORDER BY _row
FORMAT CSVWithNames
{"p0":4,"a0":1,"a1":"2","segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$apply":"orderby(Price desc)/top(3)","$pagesize":"2"}
SELECT (toString(max(abs(c3_n38_4))), 0, toString(sum(abs(toFloat64(c3_n38_4))))) AS f0 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})) FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_json_quote_64bit_integers":0,"output_format_json_named_tuples_as_objects":0,"shard":null}

SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM (SELECT toNullable(c1_s) AS c1_s, toNullable(c2_d) AS c2_d, toNullable(c3_n38_4) AS c3_n38_4, toNullable(c4_f) AS c4_f, rowNumberInAllBlocks() AS _row FROM (SELECT c1_s, c2_d, c3_n38_4, c4_f, _row FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})) ORDER BY c3_n38_4 DESC NULLS LAST, _row ASC NULLS LAST LIMIT 3)) WHERE true
ORDER BY _row LIMIT 2
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

SELECT toString(_row) AS position FROM (SELECT toNullable(c1_s) AS c1_s, toNullable(c2_d) AS c2_d, toNullable(c3_n38_4) AS c3_n38_4, toNullable(c4_f) AS c4_f, rowNumberInAllBlocks() AS _row FROM (SELECT c1_s, c2_d, c3_n38_4, c4_f, _row FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})) ORDER BY c3_n38_4 DESC NULLS LAST, _row ASC NULLS LAST LIMIT 3)) WHERE true
ORDER BY _row LIMIT 1 OFFSET 2 FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"shard":null}

-- {"$apply":"aggregate($count as Rows)"}
SELECT c1_f AS `Rows`
FROM (SELECT toNullable(x1) AS c1_f, rowNumberInAllBlocks() AS _row FROM (SELECT x1 FROM (SELECT toNullable(toFloat64(count())) AS x1 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})) SETTINGS max_bytes_before_external_group_by = 0, max_bytes_ratio_before_external_group_by = 0))) WHERE true
ORDER BY _row
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"\"\"","shard":null}

-- {"transpose":"true"}
SELECT concat(ifNull(concat('"', replaceAll(l0, '"', '""'), '"'), ''), ',', ifNull(concat('"', replaceAll(n, '"', '""'), '"'), ''), ',', arrayStringConcat(arrayMap(x -> ifNull(toString(x.1), ''), a), ','), '\r') FROM (SELECT l0, {names:Array(String)}[j] AS n, arrayReduce('groupArrayInsertAt(tuple(NULL), 2)', vs, ps) AS a FROM (SELECT l0, j, g.1 AS ps, vs FROM (SELECT *, min(f) OVER (PARTITION BY l0) AS o FROM (SELECT l0, k, min(_row) AS f, groupArray((p, v0)) AS g FROM (SELECT l0, v0, _row, toUInt32(transform(assumeNotNull(d), {dates:Array(Date32)}, range(length({dates:Array(Date32)})), 0)) AS p, row_number() OVER (PARTITION BY l0, d ORDER BY _row) AS k FROM (SELECT _row, c2_d AS d, c1_s AS l0, c3_n38_4 AS v0 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})))) GROUP BY l0, k)) ARRAY JOIN range(1, 2) AS j, [arrayMap(x -> tuple(x.2), g)] AS vs ORDER BY j, o, k))
FORMAT LineAsString
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002],"dates":["2020-01-01","2020-01-02"],"names":["Price"]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","max_block_size":8192,"shard":null}

SELECT concat(ifNull(concat('"', replaceAll(l0, '"', '""'), '"'), ''), ',', ifNull(concat('"', replaceAll(n, '"', '""'), '"'), ''), ',', arrayStringConcat(arrayMap(x -> ifNull(toString(x.1), ''), a), ','), '\r') FROM (SELECT l0, {names:Array(String)}[j] AS n, arrayReduce('groupArrayInsertAt(tuple(NULL), 2)', vs, ps) AS a FROM (SELECT l0, j, g.1 AS ps, vs FROM (SELECT *, min(f) OVER (PARTITION BY l0) AS o FROM (SELECT l0, k, min(_row) AS f, groupArray((p, v0)) AS g FROM (SELECT l0, v0, _row, toUInt32(transform(assumeNotNull(d), {dates:Array(Date32)}, range(length({dates:Array(Date32)})), 0)) AS p, row_number() OVER (PARTITION BY l0, d ORDER BY _row) AS k FROM (SELECT _row, c2_d AS d, c1_s AS l0, c4_f AS v0 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})))) GROUP BY l0, k)) ARRAY JOIN range(1, 2) AS j, [arrayMap(x -> tuple(x.2), g)] AS vs ORDER BY j, o, k))
FORMAT LineAsString
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002],"dates":["2020-01-01","2020-01-02"],"names":["Volume"]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","max_block_size":8192,"shard":null}

SELECT toString(d) AS date FROM (SELECT _row, c2_d AS d, c1_s AS l0 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))) GROUP BY d ORDER BY d NULLS LAST LIMIT 10002 FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"shard":null}

SELECT toString(sum(m)) AS rows, toString(max(m)) AS most FROM (SELECT max(c) AS m FROM (SELECT l0, count() AS c FROM (SELECT _row, c2_d AS d, c1_s AS l0 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))) GROUP BY l0, d) GROUP BY l0) FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"shard":null}

-- {"transpose":"true","$filter":"Country eq 'France'","$top":"20"}
SELECT concat(ifNull(concat('"', replaceAll(l0, '"', '""'), '"'), ''), ',', ifNull(concat('"', replaceAll(n, '"', '""'), '"'), ''), ',', arrayStringConcat(arrayMap(x -> ifNull(toString(x.1), ''), a), ','), '\r') FROM (SELECT l0, {names:Array(String)}[j] AS n, arrayReduce('groupArrayInsertAt(tuple(NULL), 2)', vs, ps) AS a FROM (SELECT l0, j, g.1 AS ps, vs FROM (SELECT *, min(f) OVER (PARTITION BY l0) AS o FROM (SELECT l0, k, min(_row) AS f, groupArray((p, v0)) AS g FROM (SELECT l0, v0, _row, toUInt32(transform(assumeNotNull(d), {dates:Array(Date32)}, range(length({dates:Array(Date32)})), 0)) AS p, row_number() OVER (PARTITION BY l0, d ORDER BY _row) AS k FROM (SELECT _row, c2_d AS d, c1_s AS l0, c3_n38_4 AS v0 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND ((c1_s = {p0:String})) ORDER BY _row LIMIT 20)) GROUP BY l0, k)) ARRAY JOIN range(1, 2) AS j, [arrayMap(x -> tuple(x.2), g)] AS vs ORDER BY j, o, k))
FORMAT LineAsString
{"p0":"France","segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002],"dates":["2020-01-01","2020-01-02"],"names":["Price"]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","max_block_size":8192,"shard":null}

SELECT concat(ifNull(concat('"', replaceAll(l0, '"', '""'), '"'), ''), ',', ifNull(concat('"', replaceAll(n, '"', '""'), '"'), ''), ',', arrayStringConcat(arrayMap(x -> ifNull(toString(x.1), ''), a), ','), '\r') FROM (SELECT l0, {names:Array(String)}[j] AS n, arrayReduce('groupArrayInsertAt(tuple(NULL), 2)', vs, ps) AS a FROM (SELECT l0, j, g.1 AS ps, vs FROM (SELECT *, min(f) OVER (PARTITION BY l0) AS o FROM (SELECT l0, k, min(_row) AS f, groupArray((p, v0)) AS g FROM (SELECT l0, v0, _row, toUInt32(transform(assumeNotNull(d), {dates:Array(Date32)}, range(length({dates:Array(Date32)})), 0)) AS p, row_number() OVER (PARTITION BY l0, d ORDER BY _row) AS k FROM (SELECT _row, c2_d AS d, c1_s AS l0, c4_f AS v0 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND ((c1_s = {p0:String})) ORDER BY _row LIMIT 20)) GROUP BY l0, k)) ARRAY JOIN range(1, 2) AS j, [arrayMap(x -> tuple(x.2), g)] AS vs ORDER BY j, o, k))
FORMAT LineAsString
{"p0":"France","segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002],"dates":["2020-01-01","2020-01-02"],"names":["Volume"]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","max_block_size":8192,"shard":null}

SELECT toString(count()) AS n FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND ((c1_s = {p0:String})) FORMAT JSONEachRow
{"p0":"France","segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"shard":null}

SELECT toString(d) AS date FROM (SELECT _row, c2_d AS d, c1_s AS l0 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND ((c1_s = {p0:String})) ORDER BY _row LIMIT 20) GROUP BY d ORDER BY d NULLS LAST LIMIT 10002 FORMAT JSONEachRow
{"p0":"France","segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"shard":null}

SELECT toString(sum(m)) AS rows, toString(max(m)) AS most FROM (SELECT max(c) AS m FROM (SELECT l0, count() AS c FROM (SELECT _row, c2_d AS d, c1_s AS l0 FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND ((c1_s = {p0:String})) ORDER BY _row LIMIT 20) GROUP BY l0, d) GROUP BY l0) FORMAT JSONEachRow
{"p0":"France","segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"shard":null}

-- {"$count":"true","$filter":"Price gt 10"}
SELECT toString(count()) AS n FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND ((c3_n38_4 > {p0:Decimal(38, 4)})) FORMAT JSONEachRow
{"p0":"10.0000","segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"shard":null}

-- {"$filter":"Country in ('France','Spain') and year(Date) eq 2020 or Price eq null"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND ((((c1_s IN {p0:Array(String)}) AND (toInt64(toYear(c2_d)) = {p1:Int64})) OR isNull(c3_n38_4)))
ORDER BY _row
FORMAT CSVWithNames
{"p0":["France","Spain"],"p1":"2020","segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$filter":"contains(tolower(Country),'an') and not (Volume div 2 ge 1.5)"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND (((position(lowerUTF8(c1_s), {p0:String}) > 0) AND (NOT (ifNull((if(((c4_f = 0 OR (abs(c4_f) >= 1e-6 AND abs(c4_f) < 1e16))), (toDecimal256(toDecimal256OrNull(if((c4_f = 0 OR (abs(c4_f) >= 1e-6 AND abs(c4_f) < 1e16)), toString(c4_f), NULL), 22), 22) / nullIf({p2:Decimal(76, 0)}, 0)) >= {p4:Decimal(76, 1)}, if(isFinite((c4_f / nullIf({p1:Float64}, 0))), (c4_f / nullIf({p1:Float64}, 0)), NULL) >= {p3:Float64})), 0)))))
ORDER BY _row
FORMAT CSVWithNames
{"p0":"an","p1":2,"p2":"2","p3":1.5,"p4":"1.5","segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":0,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$select":"Volume","entities":"selected","$top":"10"}
SELECT c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row LIMIT 10
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"\"\"","read_in_order_two_level_merge_threshold":100,"shard":null}

-- {"combineEntities":"true","includeIds":"true"}
SELECT concat(ifNull(c1_s, ''), ' | ', ifNull(toString(c2_d), '')) AS `Country [1] | Date [2]`,
c3_n38_4 AS `Price [3]`,
c4_f AS `Volume [4]`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row
FORMAT CSVWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":null}

-- {"$format":"tsv","$quote":"minimal"}
SELECT ifNull(if(match(c1_s, '["\\t\\r\\n]'), concat('"', replaceAll(c1_s, '"', '""'), '"'), c1_s), '') AS `Country`,
ifNull(toString(c2_d), '') AS `Date`,
ifNull(toString(c3_n38_4), '') AS `Price`,
ifNull(toString(c4_f), '') AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row
FORMAT CustomSeparatedWithNames
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_custom_escaping_rule":"Raw","format_custom_field_delimiter":"\t","format_custom_row_before_delimiter":"","format_custom_row_after_delimiter":"\r\n","format_custom_row_between_delimiter":"","format_custom_result_before_delimiter":"","format_custom_result_after_delimiter":"","shard":null}

-- {"$format":"json","$decimals":"string","$top":"3"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row LIMIT 3
FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_json_array_of_rows":1,"output_format_json_quote_64bit_integers":0,"output_format_json_quote_decimals":1,"output_format_json_quote_64bit_floats":1,"output_format_json_quote_denormals":0,"output_format_json_escape_forward_slashes":0,"output_format_json_named_tuples_as_objects":1,"output_format_json_validate_utf8":0,"read_in_order_two_level_merge_threshold":100,"shard":null}

-- {"$format":"xlsx"}
SELECT arrayFirstIndex(x -> x > 32767, [ifNull(max(if(length(c1_s) > 32767, lengthUTF8(c1_s) + countMatches(assumeNotNull(c1_s), '[\\x{10000}-\\x{10FFFF}]'), 0)), 0)]) AS place FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)})) FORMAT JSONEachRow
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"shard":null}

SELECT concat('<row r="', n, '">', if((x0) IS NULL, '', concat('<c r="', 'A', n, '" t="inlineStr"><is><t xml:space="preserve">', replaceAll(encodeXMLComponent(if(match(assumeNotNull(x0), '[\\x01-\\x08\\x0b-\\x1f]|_(x[0-9A-Fa-f]{4})|\\x{FFFE}|\\x{FFFF}'), replaceAll(replaceAll(translate(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(assumeNotNull(x0), '_(x[0-9A-Fa-f]{4})', '_x005F_\\1'), '([\\x01-\\x08\\x0b-\\x0f])', '_x000\\1_'), '([\\x10-\\x1f])', '_x001\\1_'), '\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f', '12345678BCDEF0123456789ABCDEF'), '\xEF\xBF\xBE', '_xFFFE_'), '\xEF\xBF\xBF', '_xFFFF_'), assumeNotNull(x0))), '\n', '&#10;'), '</t></is></c>')),
if((x1) IS NULL, '', concat('<c r="', 'B', n, '" s="1"><v>', toString((toInt32(assumeNotNull(x1)) + 25569) - if((toInt32(assumeNotNull(x1)) + 25569) < 61, 1, 0)), '</v></c>')),
if((x2) IS NULL, '', if(toDecimal256OrNull(toString(toFloat64OrZero(toString(assumeNotNull(x2)))), 4) = assumeNotNull(x2), concat('<c r="', 'C', n, '"><v>', toString(assumeNotNull(x2)), '</v></c>'), concat('<c r="', 'C', n, '" t="inlineStr"><is><t xml:space="preserve">', toString(assumeNotNull(x2)), '</t></is></c>'))),
if((x3) IS NULL, '', concat('<c r="', 'D', n, '"><v>', toString(assumeNotNull(x3)), '</v></c>')), '</row>')
FROM (SELECT *, toString((rowNumberInAllBlocks() + 0) % 1048575 + 2) AS n FROM (SELECT c1_s AS x0,
c2_d AS x1,
c3_n38_4 AS x2,
c4_f AS x3
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row))
FORMAT LineAsString
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_parallel_formatting":1,"shard":null}

-- {"$format":"parquet","dropNA":"true"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
AND NOT (c3_n38_4 IS NULL AND c4_f IS NULL)
ORDER BY _row
FORMAT Parquet
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_parquet_string_as_string":1,"output_format_parquet_compression_method":"zstd","output_format_parquet_row_group_size":131072,"output_format_parquet_write_page_index":1,"output_format_parquet_fixed_string_as_fixed_byte_array":1,"output_format_parallel_formatting":0,"shard":null}

-- {"$format":"arrow","$select":"Date,Price"}
SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`
FROM db.ds5 WHERE _seg IN if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.ds5 WHERE _seg IN {segments:Array(UInt64)}) = 0, {segments:Array(UInt64)}, []) AND if(_seg IN {segmentsPatches:Array(UInt64)}, _gone = 0, _row GLOBAL NOT IN (SELECT _row FROM db.ds5 WHERE _seg IN {segmentsPatches:Array(UInt64)}))
ORDER BY _row
FORMAT ArrowStream
{"segments":[9001,12002],"segmentsCount":400006,"segmentsPatches":[12002]}
{"output_format_arrow_string_as_string":1,"output_format_arrow_compression_method":"none","output_format_arrow_low_cardinality_as_dictionary":0,"shard":null}
