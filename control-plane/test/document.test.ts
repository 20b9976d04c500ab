/**
 * The control plane's OpenAPI document: valid for common parsers, and complete.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vendor } from '@carton/runtime/service';
import { documentFaults } from '@carton/runtime/testing';
import { validate } from '@readme/openapi-parser';
import t from 'tap';
import manifest from '../package.json' with { type: 'json' };
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { body: document } = await controlPlane.visitor().get('/docs/json');

t.test('the document is served with its title, and without global security', async (t) => {
  t.match(document, { openapi: '3.1.0', info: { title: 'Carton Control Plane', version: manifest.version } });
  t.match(document.info.description, vendor.name);
  t.notOk('security' in document);
  const page = await controlPlane.visitor().get('/docs');
  t.match(page, { status: 200, body: /Carton Control Plane/ });
  t.match(page.headers.get('content-type'), 'text/html');
});

t.test('parsers accept it', async (t) => {
  const result = await validate(structuredClone(document));
  t.strictSame(result.valid ? [] : result.errors, []);

  const folder = await mkdtemp(join(tmpdir(), 'document-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const require = createRequire(import.meta.url);
  const manifest = require('@redocly/cli/package.json');
  const redocly = join(dirname(require.resolve('@redocly/cli/package.json')), manifest.bin.redocly);
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const output = await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      [redocly, 'lint', '--format=json', file],
      { env: environment, cwd: folder },
      (_, stdout, stderr) => (stdout.includes('"totals"') ? resolve(stdout) : reject(new Error(stderr))),
    );
  });
  const { totals, problems } = JSON.parse(output.slice(output.indexOf('{')));
  t.equal(
    totals.errors,
    0,
    JSON.stringify(problems.filter(({ severity }: { severity: string }) => severity === 'error')),
  );

  const spectral = fileURLToPath(new URL('../../node_modules/.bin/spectral', import.meta.url));
  const ruleset = fileURLToPath(new URL('../../scripts/test/spectral.yaml', import.meta.url));
  const findings = await new Promise<string>((resolve) => {
    execFile(spectral, ['lint', '--ruleset', ruleset, '--fail-severity=hint', file], (error, stdout) =>
      resolve(error ? stdout : ''),
    );
  });
  t.equal(findings, '', 'spectral lint finds nothing');
});

t.test('every operation is complete, and every example matches its schema', async (t) => {
  t.strictSame(documentFaults(document), []);
});

t.test('the schemas of the contract have its names and fields', async (t) => {
  const { schemas } = document.components;
  const fields: Record<string, string[]> = {
    MintLicenseDto: [
      'customerId',
      'tier',
      'expiresAt',
      'label',
      'notes',
      'maxBoxes',
      'maxInstallations',
      'channel',
      'trial',
    ],
    ActivateDto: ['key'],
    ActivationResult: ['tier', 'customerId', 'token', 'expiresIn', 'packages', 'registryUrl'],
    SigningKey: ['algorithm', 'issuer', 'publicKey'],
    TelemetryDownloadDto: ['customerId', 'tier', 'packageName', 'version', 'outcome'],
    DeployBoxDto: ['key', 'name', 'backendUrl', 'frontendUrl', 'domains'],
    DeployBoxResult: ['registered', 'nameservers'],
    HostResolution: ['backendUrl', 'match', 'tenantSlug'],
  };
  for (const [name, properties] of Object.entries(fields)) {
    t.strictSame(Object.keys(schemas[name].properties), properties, name);
  }
});

t.test('the catalogue is sorted by name, and may be cached', async (t) => {
  const { body, headers } = await controlPlane.visitor().get('/catalogue');
  const names = body.packages.map(({ name }: { name: string }) => name);
  t.strictSame(names, [...names].sort());
  t.equal(headers.get('cache-control'), 'public, max-age=300');
  const again = await controlPlane
    .visitor()
    .get('/catalogue', { headers: { 'if-none-match': headers.get('etag') as string } });
  t.equal(again.status, 304);
});
