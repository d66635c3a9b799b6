import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../../src/providers/exact-json.js';
import { createCubeReader, readCube, readCubeSeries } from '../../../src/providers/json-stat.js';

const provider = { slug: 'x', name: 'X Statistics' };

// The form of a recorded Eurostat reply, cut short.
const payload = (value: string, geo = '{"DE":0}', geoSize = 1): unknown =>
  parseExactJson(`{
    "version":"2.0","class":"dataset","label":"HICP","source":"ESTAT","updated":"2026-02-06T23:00:00+0100",
    "value":${value},"id":["freq","geo","time"],"size":[1,${geoSize},3],
    "dimension":{
      "freq":{"label":"Time frequency","category":{"index":{"M":0},"label":{"M":"Monthly"}}},
      "geo":{"label":"Geo","category":{"index":${geo},"label":{"DE":"Germany"}}},
      "time":{"label":"Time","category":{"index":{"2025-03":2,"2025-01":0,"2025-02":1}}}
    }}`);

describe('readCubeSeries', () => {
  it('reads a sparse map: absent values are missing, digits stay', () => {
    const cube = readCube(provider, payload('{"0":2.80,"2":-0.1}'));
    expect(readCubeSeries(provider, 'd/M.DE', cube, 'time')).toEqual([
      { date: '2025-01-01', value: '2.80' },
      { date: '2025-02-01', value: null },
      { date: '2025-03-01', value: '-0.1' },
    ]);
    expect(cube.dimensions[1]).toEqual({
      id: 'geo',
      label: 'Geo',
      codes: [{ code: 'DE', label: 'Germany' }],
    });
  });

  it('leaves out the week 99 of Eurostat, which has no date', () => {
    const weeks = parseExactJson(`{
      "class":"dataset","value":{"0":1,"1":2,"2":3},"id":["time"],"size":[3],
      "dimension":{"time":{"category":{"index":{"2020-W52":0,"2020-W53":1,"2020-W99":2}}}}}`);
    expect(readCubeSeries(provider, 'd', readCube(provider, weeks), 'time')).toEqual([
      { date: '2020-12-21', value: '1' },
      { date: '2020-12-28', value: '2' },
    ]);
  });

  it('reads a list as well', () => {
    const cube = readCube(provider, payload('[1,null,":"]'));
    expect(readCubeSeries(provider, 'd', cube, 'time').map(({ value }) => value)).toEqual(['1', null, null]);
  });

  it('reads the cells of one series alone, and refuses one that is neither a number nor a text', () => {
    const cube = readCube(provider, payload('{"0":1,"3":{"other":"series"}}', '{"DE":0,"FR":1}', 2));
    const { seriesAt, all } = createCubeReader(provider, cube, 'time');
    expect(seriesAt([0, 0, 0]).map(({ value }) => value)).toEqual(['1', null, null]);
    expect(() => seriesAt([0, 1, 0])).toThrow(/'value.3' is not as expected/);
    expect(() => [...all()]).toThrow(/'value.3' is not as expected/);
  });

  it('reads nothing from a cube with an empty dimension', () => {
    const cube = readCube(provider, payload('{}', '{}', 0));
    const { seriesAt, all } = createCubeReader(provider, cube, 'time');
    expect([...all()]).toEqual([]);
    expect(seriesAt([0, 0, 0])).toEqual([]);
  });

  it('names the dimension that an id leaves open', () => {
    const cube = readCube(provider, payload('{}', '{"DE":0,"FR":1}', 2));
    expect(() => readCubeSeries(provider, 'd', cube, 'time')).toThrow(/geo/);
  });

  it('refuses a cube with inconsistent sizes, and keeps a text in place of a number as a flag', () => {
    expect(() => readCube(provider, payload('{}', '{"DE":0,"FR":1}', 1))).toThrow(/size of geo/);
    expect(() => readCube(provider, { class: 'dataset' })).toThrow(/Unexpected reply of X Statistics/);
    const cube = readCube(provider, payload('{"0":"?"}'));
    expect(readCubeSeries(provider, 'd', cube, 'time')[0]).toEqual({
      date: '2025-01-01',
      value: null,
      flag: '?',
    });
    expect(() => readCubeSeries(provider, 'd', cube, 'period')).toThrow(/dimension period/);
  });
});
