SELECT 1 AS repeated FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {uniqueCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {unique:Array(UInt64)}[1]) = 0, {unique:Array(UInt64)}[1], 0)
        GROUP BY sipHash128(isNull(c1_s), ifNull(c1_s, ''), isNull(c2_d), ifNull(toString(c2_d), '')) HAVING count() > 1 LIMIT 1 FORMAT JSONEachRow
{"unique":[9001],"uniqueCount":400000}
{"shard":1}

SELECT 1 AS repeated FROM db.s5 WHERE _seg IN if((SELECT throwIf(count() != {uniqueCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg IN {unique:Array(UInt64)} AND (_seg != {uniqueCut0:UInt64} OR _row < {uniqueRows0:UInt64})) = 0, {unique:Array(UInt64)}, []) AND (_seg != {uniqueCut0:UInt64} OR _row < {uniqueRows0:UInt64})
        GROUP BY sipHash128(isNull(c1_s), ifNull(c1_s, ''), isNull(c2_d), ifNull(toString(c2_d), '')) HAVING count() > 1 LIMIT 1 FORMAT JSONEachRow
{"unique":[9001,12002],"uniqueCut0":9001,"uniqueRows0":10,"uniqueCount":400000}
{"shard":1}

SELECT multiIf(m > least(x, y), if(side = 0, 'removed', 'added'), side = 0, 'before', 'after') AS `change`,
o0 AS `Country`,
o1 AS `Date`,
o2 AS `Price`,
o3 AS `Volume`
FROM (
      SELECT m, x, y, side, s, p, o0, o1, o2, o3,
        max(if(side = 1, (s, p), (toUInt64(0), toUInt64(0)))) OVER (PARTITION BY k, m) AS place
      FROM (
        SELECT k, side, s, p, o0, o1, o2, o3, row_number() OVER (PARTITION BY side, k ORDER BY s, p) AS m,
          countIf(side = 0) OVER (PARTITION BY k) AS x, countIf(side = 1) OVER (PARTITION BY k) AS y
        FROM (
          SELECT k, side, s, p, o0, o1, o2, o3, row_number() OVER (PARTITION BY side, k, r ORDER BY s, p) AS n,
            countIf(side = 0) OVER (PARTITION BY k, r) AS a, countIf(side = 1) OVER (PARTITION BY k, r) AS b
          FROM (SELECT sipHash128(isNull(c1_s), ifNull(c1_s, ''), isNull(c2_d), ifNull(toString(c2_d), '')) AS k, sipHash128(isNull(c1_s), ifNull(c1_s, ''), isNull(c2_d), ifNull(toString(c2_d), ''), isNull(c3_n38_4), ifNull(toString(c3_n38_4), ''), isNull(c4_f), ifNull(multiIf(position(toString(c4_f + 0), 'e') = 0 OR abs(c4_f) < 1e-50 OR abs(c4_f) >= 1e76, toString(c4_f + 0), abs(c4_f) >= 1, toString(toDecimal256OrNull(toString(c4_f + 0), 0)), toString(toDecimal256OrNull(toString(c4_f + 0), 76))), '')) AS r, toUInt8(0) AS side, _seg AS s, _row AS p, c1_s AS o0, c2_d AS o1, c3_n38_4 AS o2, c4_f AS o3
      FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {fromCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {from:Array(UInt64)}[1]) = 0, {from:Array(UInt64)}[1], 0)
UNION ALL SELECT sipHash128(isNull(c1_s), ifNull(c1_s, ''), isNull(c2_d), ifNull(toString(c2_d), '')) AS k, sipHash128(isNull(c1_s), ifNull(c1_s, ''), isNull(c2_d), ifNull(toString(c2_d), ''), isNull(c3_n38_4), ifNull(toString(c3_n38_4), ''), isNull(c4_f), ifNull(multiIf(position(toString(c4_f + 0), 'e') = 0 OR abs(c4_f) < 1e-50 OR abs(c4_f) >= 1e76, toString(c4_f + 0), abs(c4_f) >= 1, toString(toDecimal256OrNull(toString(c4_f + 0), 0)), toString(toDecimal256OrNull(toString(c4_f + 0), 76))), '')) AS r, toUInt8(1) AS side, _seg AS s, _row AS p, c1_s AS o0, c2_d AS o1, c3_n38_4 AS o2, c4_f AS o3
      FROM db.s5 WHERE _seg IN if((SELECT throwIf(count() != {toCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg IN {to:Array(UInt64)} AND (_seg != {toCut0:UInt64} OR _row < {toRows0:UInt64})) = 0, {to:Array(UInt64)}, []) AND (_seg != {toCut0:UInt64} OR _row < {toRows0:UInt64})) WHERE (k, r) IN (SELECT k, r FROM (SELECT sipHash128(isNull(c1_s), ifNull(c1_s, ''), isNull(c2_d), ifNull(toString(c2_d), '')) AS k, sipHash128(isNull(c1_s), ifNull(c1_s, ''), isNull(c2_d), ifNull(toString(c2_d), ''), isNull(c3_n38_4), ifNull(toString(c3_n38_4), ''), isNull(c4_f), ifNull(multiIf(position(toString(c4_f + 0), 'e') = 0 OR abs(c4_f) < 1e-50 OR abs(c4_f) >= 1e76, toString(c4_f + 0), abs(c4_f) >= 1, toString(toDecimal256OrNull(toString(c4_f + 0), 0)), toString(toDecimal256OrNull(toString(c4_f + 0), 76))), '')) AS r, 1 AS w FROM db.s5 WHERE _seg = if((SELECT throwIf(count() != {fromCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {from:Array(UInt64)}[1]) = 0, {from:Array(UInt64)}[1], 0)
UNION ALL SELECT sipHash128(isNull(c1_s), ifNull(c1_s, ''), isNull(c2_d), ifNull(toString(c2_d), '')) AS k, sipHash128(isNull(c1_s), ifNull(c1_s, ''), isNull(c2_d), ifNull(toString(c2_d), ''), isNull(c3_n38_4), ifNull(toString(c3_n38_4), ''), isNull(c4_f), ifNull(multiIf(position(toString(c4_f + 0), 'e') = 0 OR abs(c4_f) < 1e-50 OR abs(c4_f) >= 1e76, toString(c4_f + 0), abs(c4_f) >= 1, toString(toDecimal256OrNull(toString(c4_f + 0), 0)), toString(toDecimal256OrNull(toString(c4_f + 0), 76))), '')) AS r, -1 AS w FROM db.s5 WHERE _seg IN if((SELECT throwIf(count() != {toCount:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg IN {to:Array(UInt64)} AND (_seg != {toCut0:UInt64} OR _row < {toRows0:UInt64})) = 0, {to:Array(UInt64)}, []) AND (_seg != {toCut0:UInt64} OR _row < {toRows0:UInt64})) GROUP BY k, r HAVING sum(w) != 0))
        WHERE n > least(a, b)))
    ORDER BY place, side, s, p
FORMAT CSVWithNames
{"from":[9001],"fromCount":400000,"to":[9001,12002],"toCut0":9001,"toRows0":10,"toCount":400000}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":1}
