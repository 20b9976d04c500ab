// A built box with metrics and tracing, whose libraries are loaded on demand and must be in the bundle.

import { join } from 'node:path';
import { callerOf } from '@carton/runtime/testing';
import t from 'tap';
import { startBoxProcess } from '../../../runtime/operations/test/box-process.ts';
import { startCollector } from '../../../runtime/operations/test/collector.ts';
import { buildPackages } from '../index.ts';
import { makeFolder, unpack } from './workspace.ts';

t.test('metrics and traces of a built box', async (t) => {
  const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
  const only = ['@carton/runtime', ...packages];
  const built = await buildPackages({ out: await makeFolder(t), only });
  const folder = await makeFolder(t);
  for (const { name, tarball } of built) await unpack(folder, name, tarball);
  const program = join(folder, 'node_modules/@carton/runtime/dist/main.js');
  const options = { packages, packagesFrom: join(folder, 'package.json'), program };

  for (const protocol of ['http/protobuf', 'http/json']) {
    const collector = await startCollector(t);
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: protocol };
    const box = await startBoxProcess(t, environment, options);
    const { status, body } = await callerOf(box.url, { authorization: `Bearer ${box.secret}` }).get('/metrics');
    t.equal(status, 200);
    t.match(body, /^carton_build_info\{version="\d/m);
    t.match(body, /^process_resident_memory_bytes \d/m);
    box.child.kill('SIGTERM');
    t.equal(await box.ended, 0);
    t.ok(
      collector.requests.some(({ body }) => body.includes('GET /metrics')),
      protocol,
    );
  }
});
