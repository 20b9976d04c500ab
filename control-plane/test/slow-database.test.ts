/**
 * A control plane that starts while its PostgreSQL takes long to accept connections, as on a busy machine.
 */
import { startSlowServer } from '@carton/runtime/testing';
import t from 'tap';
import { startControlPlane } from '../index.ts';
import { makeDatabase, optionsFor } from './test-control-plane.ts';

t.test('it waits longer than a request would', async (t) => {
  const { url } = await makeDatabase(t);
  const server = await startControlPlane(optionsFor(await startSlowServer(t, url)));
  t.teardown(() => server.stop());
  t.equal((await fetch(`${server.url}/health`)).status, 200);
});
