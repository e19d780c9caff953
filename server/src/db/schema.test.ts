import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, test } from 'vitest';
import { describeSchema, SCHEMA_FILE, TYPES_FILE } from '../../scripts/describe-schema.ts';
import { databaseUrl } from '../../test/worker-database.ts';

test('schema.sql and tables.ts match the migrated schema', async () => {
  const client = new pg.Client({ connectionString: databaseUrl() });
  await client.connect();
  const { sql, types } = await describeSchema(client).finally(() => client.end());

  const remedy = 'Run `npm run schema --workspace server` and commit the result.';
  expect(sql, remedy).toBe(readFileSync(SCHEMA_FILE, 'utf8'));
  expect(types, remedy).toBe(readFileSync(TYPES_FILE, 'utf8'));
});
