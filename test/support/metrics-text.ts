/** Parser of Prometheus' text format, as far as the product uses it. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricsText {
  /** Names of metrics in TYPE lines. */
  readonly names: ReadonlySet<string>;
  /** Names of series: those of histograms end with _bucket, _sum and _count. */
  readonly series: ReadonlySet<string>;
  readonly samples: readonly Sample[];
  /** Value of the only sample with at least these labels; undefined if there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );

export const parseMetrics = (text: string): MetricsText => {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\S+) (\S+)/.exec(line);
    if (type !== null) types.set(type[1] ?? '', type[2] ?? '');
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (sample === null) continue;
    samples.push({ name: sample[1] ?? '', labels: labelsOf(sample[2] ?? ''), value: Number(sample[3]) });
  }
  const series = [...types].flatMap(([name, type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name],
  );
  return {
    names: new Set(types.keys()),
    series: new Set(series),
    samples,
    value(name, labels = {}) {
      const found = samples.filter(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      );
      if (found.length > 1) throw new Error(`${found.length} samples of ${name} ${JSON.stringify(labels)}`);
      return found[0]?.value;
    },
  };
};

export const readMetrics = async (address: string): Promise<MetricsText> => {
  const answer = await fetch(`${address}/metrics`);
  if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}`);
  return parseMetrics(await answer.text());
};
