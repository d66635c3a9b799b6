import { expect, it } from 'vitest';
import { describeConfig, loadConfig } from '../../src/config.js';

it('describeConfig shows the hosts of addresses and hides credentials', () => {
  const shown = describeConfig(
    loadConfig({
      DATABASE_URL: 'postgres://catalog:hunter2@db.example:5433/catalog?password=hunter2',
      CLICKHOUSE_URL: 'http://reader:hunter2@one.example:8123',
      KAFKA_BROKERS: 'kafka.example:9092',
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'catalog',
      KAFKA_SASL_PASSWORD: 'hunter2',
    }),
  );
  expect(shown.split('\n')).toEqual(
    expect.arrayContaining([
      'DATABASE_URL=postgres://[hidden]@db.example:5433/catalog',
      expect.stringMatching(/^CLICKHOUSE_URL=http:\/\/\[hidden\]@one\.example:8123/),
      'KAFKA_BROKERS=kafka.example:9092',
    ]),
  );
  expect(shown).not.toContain('hunter2');
});
