SELECT * FROM (SELECT (max(if(position(ifNull(multiIf(position(toString(c3_f + 0), 'e') = 0 OR abs(c3_f) < 1e-50 OR abs(c3_f) >= 1e76, toString(c3_f + 0), abs(c3_f) >= 1, toString(toDecimal256OrNull(toString(c3_f + 0), 0)), toString(toDecimal256OrNull(toString(c3_f + 0), 76))), ''), 'e') > 0, 100, length(replaceRegexpOne(splitByChar('.', ifNull(multiIf(position(toString(c3_f + 0), 'e') = 0 OR abs(c3_f) < 1e-50 OR abs(c3_f) >= 1e76, toString(c3_f + 0), abs(c3_f) >= 1, toString(toDecimal256OrNull(toString(c3_f + 0), 0)), toString(toDecimal256OrNull(toString(c3_f + 0), 76))), ''))[1], '^-?0?', '')))), max(length(splitByChar('.', ifNull(multiIf(position(toString(c3_f + 0), 'e') = 0 OR abs(c3_f) < 1e-50 OR abs(c3_f) >= 1e76, toString(c3_f + 0), abs(c3_f) >= 1, toString(toDecimal256OrNull(toString(c3_f + 0), 0)), toString(toDecimal256OrNull(toString(c3_f + 0), 76))), ''))[2]))) AS c0 FROM db.s5 WHERE _seg IN {d0:Array(UInt64)}
UNION ALL SELECT (max(if(position(ifNull(toString(c3_n38_4), ''), 'e') > 0, 100, length(replaceRegexpOne(splitByChar('.', ifNull(toString(c3_n38_4), ''))[1], '^-?0?', '')))), max(length(splitByChar('.', ifNull(toString(c3_n38_4), ''))[2]))) AS c0 FROM db.s5 WHERE _seg IN {d1:Array(UInt64)}) FORMAT JSONEachRow
{"d0":[9001],"d1":[12002]}
{"output_format_json_quote_64bit_integers":0,"output_format_json_named_tuples_as_objects":0,"shard":1}

SELECT * FROM (SELECT (max(if(position(ifNull(multiIf(position(toString(c3_f + 0), 'e') = 0 OR abs(c3_f) < 1e-50 OR abs(c3_f) >= 1e76, toString(c3_f + 0), abs(c3_f) >= 1, toString(toDecimal256OrNull(toString(c3_f + 0), 0)), toString(toDecimal256OrNull(toString(c3_f + 0), 76))), ''), 'e') > 0, 100, length(replaceRegexpOne(splitByChar('.', ifNull(multiIf(position(toString(c3_f + 0), 'e') = 0 OR abs(c3_f) < 1e-50 OR abs(c3_f) >= 1e76, toString(c3_f + 0), abs(c3_f) >= 1, toString(toDecimal256OrNull(toString(c3_f + 0), 0)), toString(toDecimal256OrNull(toString(c3_f + 0), 76))), ''))[1], '^-?0?', '')))), max(length(splitByChar('.', ifNull(multiIf(position(toString(c3_f + 0), 'e') = 0 OR abs(c3_f) < 1e-50 OR abs(c3_f) >= 1e76, toString(c3_f + 0), abs(c3_f) >= 1, toString(toDecimal256OrNull(toString(c3_f + 0), 0)), toString(toDecimal256OrNull(toString(c3_f + 0), 76))), ''))[2]))) AS c0 FROM db.s5 WHERE _seg IN {d0:Array(UInt64)}
UNION ALL SELECT (max(if(position(ifNull(toString(c3_n38_4), ''), 'e') > 0, 100, length(replaceRegexpOne(splitByChar('.', ifNull(toString(c3_n38_4), ''))[1], '^-?0?', '')))), max(length(splitByChar('.', ifNull(toString(c3_n38_4), ''))[2]))) AS c0 FROM db.s5 WHERE _seg IN {d1:Array(UInt64)}) FORMAT JSONEachRow
{"d0":[9001],"d1":[12002]}
{"output_format_json_quote_64bit_integers":0,"output_format_json_named_tuples_as_objects":0,"shard":1}

SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_0 AS `Price`,
c4_f AS `Volume`,
toString(v) AS `versionId`,
transform(v, {versions:Array(UInt64)}, {times:Array(String)}, '') AS `publishedAt`,
multiIf(net < 0, 'removed', lost > 0, 'changed', 'added') AS `change`
FROM (
      SELECT c1_s, c2_d, c3_n38_0, c4_f, v, net, place, k, countIf(net < 0) OVER (PARTITION BY k, v) AS lost, countIf(net > 0) OVER (PARTITION BY k, v) AS brought
      FROM (
        SELECT k, h, v, sum(w) AS net, min(p) AS place, any(e_c1_s) AS c1_s, any(e_c2_d) AS c2_d, any(e_c3_n38_0) AS c3_n38_0, any(e_c4_f) AS c4_f
        FROM (
          SELECT sipHash128(isNull(c1_s), ifNull(c1_s, defaultValueOfTypeName('String')), isNull(c2_d), ifNull(c2_d, defaultValueOfTypeName('Date32'))) AS k, sipHash128(isNull(c1_s), ifNull(c1_s, defaultValueOfTypeName('String')), isNull(c2_d), ifNull(c2_d, defaultValueOfTypeName('Date32')), isNull(c3_n38_0), ifNull(c3_n38_0, defaultValueOfTypeName('Decimal(38, 0)')), isNull(c4_f), ifNull((c4_f + 0), defaultValueOfTypeName('Float64'))) AS h, p, x.1 AS v, x.2 AS w, c1_s AS e_c1_s, c2_d AS e_c2_d, c3_n38_0 AS e_c3_n38_0, c4_f AS e_c4_f
          FROM (SELECT v_c1_s AS c1_s, v_c2_d AS c2_d, v_c3_n38_0 AS c3_n38_0, v_c4_f AS c4_f, p, f, u FROM (SELECT c1_s AS v_c1_s, c2_d AS v_c2_d, CAST(toString(c3_f), 'Nullable(Decimal(38, 0))') AS v_c3_n38_0, c4_f AS v_c4_f, _row AS p, f, u
      FROM db.s5 AS stored
      INNER JOIN (SELECT t[1] AS g, t[2] AS f, t[3] AS u, t[4] AS l
        FROM (SELECT arrayJoin({r0:Array(Array(UInt64))}) AS t)) AS held ON stored._seg = held.g
      WHERE _seg = if((SELECT throwIf(count() != {s0Count:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {s0:Array(UInt64)}[1]) = 0, {s0:Array(UInt64)}[1], 0) AND _row < (l * 34359738368)
UNION ALL SELECT c1_s AS v_c1_s, c2_d AS v_c2_d, CAST(c3_n38_4, 'Nullable(Decimal(38, 0))') AS v_c3_n38_0, c4_f AS v_c4_f, _row AS p, f, u
      FROM db.s5 AS stored
      INNER JOIN (SELECT t[1] AS g, t[2] AS f, t[3] AS u, t[4] AS l
        FROM (SELECT arrayJoin({r1:Array(Array(UInt64))}) AS t)) AS held ON stored._seg = held.g
      WHERE _seg = if((SELECT throwIf(count() != {s1Count:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {s1:Array(UInt64)}[1]) = 0, {s1:Array(UInt64)}[1], 0) AND _row < (l * 34359738368)))
          ARRAY JOIN arrayFilter(y -> y.1 != 0, [(f, 1), (u, -1)]) AS x
          WHERE ((c3_n38_0 > {p0:Decimal(38, 0)})))
        GROUP BY k, h, v HAVING net != 0))
    WHERE (net > 0 OR brought = 0)
    ORDER BY c1_s ASC NULLS LAST, c2_d ASC NULLS LAST, k, v, net DESC, place LIMIT 10
FORMAT CSVWithNames
{"s0":[9001],"s0Count":50,"r0":[[9001,1,2,268435456]],"s1":[12002],"s1Count":50,"r1":[[12002,2,0,10]],"p0":"1","versions":[1],"times":["1970-01-01T00:00:00.000Z"]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":1}

SELECT c1_s AS `Country`,
c2_d AS `Date`,
c3_n38_0 AS `Price`,
c4_f AS `Volume`,
toString(v) AS `versionId`,
transform(v, {versions:Array(UInt64)}, {times:Array(String)}, '') AS `publishedAt`,
multiIf(net < 0, 'removed', lost > 0, 'changed', 'added') AS `change`
FROM (
      SELECT c1_s, c2_d, c3_n38_0, c4_f, v, net, place, k, countIf(net < 0) OVER (PARTITION BY k, v) AS lost, sum(net) OVER (PARTITION BY k, h) AS there, maxIf(v, net > 0) OVER (PARTITION BY k, h) AS last
      FROM (
        SELECT k, h, v, sum(w) AS net, min(p) AS place, any(e_c1_s) AS c1_s, any(e_c2_d) AS c2_d, any(e_c3_n38_0) AS c3_n38_0, any(e_c4_f) AS c4_f
        FROM (
          SELECT sipHash128(isNull(c1_s), ifNull(c1_s, defaultValueOfTypeName('String')), isNull(c2_d), ifNull(c2_d, defaultValueOfTypeName('Date32'))) AS k, sipHash128(isNull(c1_s), ifNull(c1_s, defaultValueOfTypeName('String')), isNull(c2_d), ifNull(c2_d, defaultValueOfTypeName('Date32')), isNull(c3_n38_0), ifNull(c3_n38_0, defaultValueOfTypeName('Decimal(38, 0)')), isNull(c4_f), ifNull((c4_f + 0), defaultValueOfTypeName('Float64'))) AS h, p, x.1 AS v, x.2 AS w, c1_s AS e_c1_s, c2_d AS e_c2_d, c3_n38_0 AS e_c3_n38_0, c4_f AS e_c4_f
          FROM (SELECT v_c1_s AS c1_s, v_c2_d AS c2_d, v_c3_n38_0 AS c3_n38_0, v_c4_f AS c4_f, p, f, u FROM (SELECT c1_s AS v_c1_s, c2_d AS v_c2_d, CAST(toString(c3_f), 'Nullable(Decimal(38, 0))') AS v_c3_n38_0, c4_f AS v_c4_f, _row AS p, f, u
      FROM db.s5 AS stored
      INNER JOIN (SELECT t[1] AS g, t[2] AS f, t[3] AS u, t[4] AS l
        FROM (SELECT arrayJoin({r0:Array(Array(UInt64))}) AS t)) AS held ON stored._seg = held.g
      WHERE _seg = if((SELECT throwIf(count() != {s0Count:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {s0:Array(UInt64)}[1]) = 0, {s0:Array(UInt64)}[1], 0) AND _row < (l * 34359738368)
UNION ALL SELECT c1_s AS v_c1_s, c2_d AS v_c2_d, CAST(c3_n38_4, 'Nullable(Decimal(38, 0))') AS v_c3_n38_0, c4_f AS v_c4_f, _row AS p, f, u
      FROM db.s5 AS stored
      INNER JOIN (SELECT t[1] AS g, t[2] AS f, t[3] AS u, t[4] AS l
        FROM (SELECT arrayJoin({r1:Array(Array(UInt64))}) AS t)) AS held ON stored._seg = held.g
      WHERE _seg = if((SELECT throwIf(count() != {s1Count:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {s1:Array(UInt64)}[1]) = 0, {s1:Array(UInt64)}[1], 0) AND _row < (l * 34359738368)))
          ARRAY JOIN arrayFilter(y -> y.1 != 0, [(f, 1), (u, -1)]) AS x
          WHERE ((c3_n38_0 > {p0:Decimal(38, 0)})))
        GROUP BY k, h, v HAVING net != 0))
    WHERE net > 0 AND there > 0 AND v = last
    ORDER BY c1_s ASC NULLS LAST, c2_d ASC NULLS LAST, k, v, net DESC, place LIMIT 10
FORMAT CSVWithNames
{"s0":[9001],"s0Count":50,"r0":[[9001,1,2,268435456]],"s1":[12002],"s1Count":50,"r1":[[12002,2,0,10]],"p0":"1","versions":[1],"times":["1970-01-01T00:00:00.000Z"]}
{"output_format_decimal_trailing_zeros":0,"output_format_parallel_formatting":1,"output_format_csv_crlf_end_of_line":1,"output_format_csv_serialize_tuple_into_separate_columns":0,"date_time_output_format":"simple","format_csv_delimiter":",","format_csv_null_representation":"","shard":1}

SELECT toFloat64(max(n)) AS most FROM (
        SELECT sum(net) OVER (PARTITION BY k ORDER BY v) AS n FROM (
          SELECT sipHash128(isNull(c1_s), ifNull(c1_s, defaultValueOfTypeName('String')), isNull(c2_d), ifNull(c2_d, defaultValueOfTypeName('Date32'))) AS k, x.1 AS v, sum(x.2) AS net FROM (SELECT v_c1_s AS c1_s, v_c2_d AS c2_d, v_c3_n38_0 AS c3_n38_0, v_c4_f AS c4_f, p, f, u FROM (SELECT c1_s AS v_c1_s, c2_d AS v_c2_d, CAST(toString(c3_f), 'Nullable(Decimal(38, 0))') AS v_c3_n38_0, c4_f AS v_c4_f, _row AS p, f, u
      FROM db.s5 AS stored
      INNER JOIN (SELECT t[1] AS g, t[2] AS f, t[3] AS u, t[4] AS l
        FROM (SELECT arrayJoin({r0:Array(Array(UInt64))}) AS t)) AS held ON stored._seg = held.g
      WHERE _seg = if((SELECT throwIf(count() != {s0Count:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {s0:Array(UInt64)}[1]) = 0, {s0:Array(UInt64)}[1], 0) AND _row < (l * 34359738368)
UNION ALL SELECT c1_s AS v_c1_s, c2_d AS v_c2_d, CAST(c3_n38_4, 'Nullable(Decimal(38, 0))') AS v_c3_n38_0, c4_f AS v_c4_f, _row AS p, f, u
      FROM db.s5 AS stored
      INNER JOIN (SELECT t[1] AS g, t[2] AS f, t[3] AS u, t[4] AS l
        FROM (SELECT arrayJoin({r1:Array(Array(UInt64))}) AS t)) AS held ON stored._seg = held.g
      WHERE _seg = if((SELECT throwIf(count() != {s1Count:UInt64}, 'segments_gone') FROM db.s5 WHERE _seg = {s1:Array(UInt64)}[1]) = 0, {s1:Array(UInt64)}[1], 0) AND _row < (l * 34359738368)))
          ARRAY JOIN arrayFilter(y -> y.1 != 0, [(f, 1), (u, -1)]) AS x
          WHERE ((c3_n38_0 > {p0:Decimal(38, 0)})) GROUP BY k, v))
      FORMAT JSONEachRow
{"s0":[9001],"s0Count":50,"r0":[[9001,1,2,268435456]],"s1":[12002],"s1Count":50,"r1":[[12002,2,0,10]],"p0":"1"}
{"shard":1}
