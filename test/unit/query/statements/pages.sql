SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
AND _row >= {fromPosition:UInt64}
ORDER BY _row LIMIT 1000
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":400000,"fromPosition":"17"}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","read_in_order_two_level_merge_threshold":100,"shard":1}

SELECT toString(_row) AS position FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
AND _row >= {fromPosition:UInt64}
ORDER BY _row LIMIT 1 OFFSET 1000 FORMAT JSONEachRow
{"segments":[9001],"segmentsCount":400000,"fromPosition":"17"}
{"shard":1}

SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_4 AS `Price`,
c4_f AS `Volume`
FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
AND (((SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).1 IS NOT NULL AND (c3_n38_4 IS NULL OR c3_n38_4 < (SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).1)) OR ((c3_n38_4 = (SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).1 OR (c3_n38_4 IS NULL AND (SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).1 IS NULL)) AND (((SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).2 IS NOT NULL AND (c1_s IS NULL OR c1_s > (SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).2)) OR ((c1_s = (SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).2 OR (c1_s IS NULL AND (SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).2 IS NULL)) AND _row >= {fromPosition:UInt64}))))
ORDER BY c3_n38_4 DESC NULLS LAST, c1_s ASC NULLS LAST, _row LIMIT 1000
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":400000,"fromPosition":"17"}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":1}

SELECT toString(_row) AS position FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
AND (((SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).1 IS NOT NULL AND (c3_n38_4 IS NULL OR c3_n38_4 < (SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).1)) OR ((c3_n38_4 = (SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).1 OR (c3_n38_4 IS NULL AND (SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).1 IS NULL)) AND (((SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).2 IS NOT NULL AND (c1_s IS NULL OR c1_s > (SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).2)) OR ((c1_s = (SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).2 OR (c1_s IS NULL AND (SELECT tuple(any(c3_n38_4), any(c1_s),
    throwIf(count() != 1, 'segments_gone')) FROM db.s5
    WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0) AND _row = {fromPosition:UInt64}).2 IS NULL)) AND _row >= {fromPosition:UInt64}))))
ORDER BY c3_n38_4 DESC NULLS LAST, c1_s ASC NULLS LAST, _row LIMIT 1 OFFSET 1000 FORMAT JSONEachRow
{"segments":[9001],"segmentsCount":400000,"fromPosition":"17"}
{"shard":1}

SELECT c1_s AS `Country`
FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY _row LIMIT 1 BY c1_s LIMIT 1000 OFFSET 1000
FORMAT CSVWithNames
{"segments":[9001],"segmentsCount":400000}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"\"\"","read_in_order_two_level_merge_threshold":100,"shard":1}

SELECT toString(_row) AS position FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {segmentsCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {segments:Array(UInt64)}[1]) = 0, {segments:Array(UInt64)}[1], 0)
ORDER BY _row LIMIT 1 BY c1_s LIMIT 1 OFFSET 2000 FORMAT JSONEachRow
{"segments":[9001],"segmentsCount":400000}
{"shard":1}
