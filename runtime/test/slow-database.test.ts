/**
 * A box that starts while its PostgreSQL takes long to accept connections, as on a busy machine: it waits longer than a
 * request would.
 */
import t from 'tap';
import { startBox } from '../start-box.ts';
import { createTestDatabase } from '../testing/database.ts';
import { sourceRoot } from '../testing/packages.ts';
import { startSlowServer } from '../testing/slow-server.ts';

t.test('a box starts on a database that is slow to accept its first connection', async (t) => {
  const database = await createTestDatabase();
  t.teardown(database.drop);
  const box = await startBox({
    databaseUrl: await startSlowServer(t, database.url),
    tier: 'basic',
    packages: ['@carton/core', '@carton/auth', '@carton/tenant'],
    packagesFrom: sourceRoot,
    host: '127.0.0.1',
    port: 0,
  });
  t.teardown(() => box.stop());
  t.equal((await fetch(`${box.url}/health`)).status, 200);
});
