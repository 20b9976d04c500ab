/**
 * The URL of the control plane in options and in the environment: trimmed, checked, and never shown with a password.
 */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { isHttpUrl } from '../network.ts';
import { printable, printableJson, withoutPasswords } from '../output/printable.ts';
import { readServiceUrl } from '../service-urls.ts';
import { scope, variable } from '../vendor.ts';
import { key, makeBox } from './support/box.ts';
import { makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const vendor = await startVendor([makeRuntime()], { [key]: { tier: 'basic', packages: [`${scope}/runtime`] } });
t.teardown(() => vendor.close());

t.test('a URL is taken with the spaces around it', async (t) => {
  const box = await makeBox(t, vendor);
  const sent = ` \t${vendor.controlPlaneUrl}\n`;
  t.match(await box.install(['--no-start', '--control-plane', sent]), { exitCode: 0 });
  const { controlPlaneUrl } = JSON.parse(await readFile(box.folder.settings, 'utf8'));
  t.equal(controlPlaneUrl, vendor.controlPlaneUrl);
  const words = ['install', '--no-start', '--json'];
  const environment = { [variable('CONTROL_PLANE_URL')]: sent };
  t.match(await box.run(words, environment), { exitCode: 0 });
});

t.test('another text is exit code 2, and a password is not shown', async (t) => {
  const box = await makeBox(t, vendor);
  for (const wrong of [
    'http://user:s3cr3t@control.example',
    'http://s3cr3t@control.example',
    'https://user:s3cr3t%40@control.example/path',
    'http://user:s3/cr3t@control.example',
    'user:s3cr3t@control.example',
    'ftp://user:s3cr3t@control.example',
    'control.example',
    'https://',
    'https://control.example/?token=s3cr3t',
    'https://control.example/#s3cr3t',
    'https://control example',
    ' ',
  ]) {
    for (const [words, environment] of [
      [['--control-plane', wrong], {}],
      [[], { [variable('CONTROL_PLANE_URL')]: wrong }],
    ] as const) {
      for (const json of [[], ['--json']]) {
        const outcome = await box.run(['install', '--no-start', ...words, ...json], environment);
        t.equal(outcome.exitCode, 2, JSON.stringify(wrong));
        t.notMatch(outcome.stdout + outcome.stderr, /s3c?\/?cr3t|cr3t/, JSON.stringify(wrong));
      }
    }
  }
  const restored = await box.run([
    'restore',
    'backup.tar.zst',
    '--control-plane',
    'http://user:s3cr3t@control.example',
  ]);
  t.equal(restored.exitCode, 2);
  t.match(restored.stderr, /the URL of the control plane has a user name or a password/);
  t.notMatch(restored.stderr, 's3cr3t');
});

t.test('URLs in messages have no passwords', async (t) => {
  const text = 'fetch of postgres://user:s3cr3t@db.example/shop failed, not http://registry.example/@carton/cart';
  const shown = 'fetch of postgres://…@db.example/shop failed, not http://registry.example/@carton/cart';
  t.equal(withoutPasswords(text), shown);
  t.equal(printable(text), shown);
  t.strictSame(JSON.parse(printableJson(JSON.stringify({ text }))), { text: shown });
});

t.test('a text of any length and kind is shown soon', async (t) => {
  for (const part of ['a', 'a+', '://', '://a', '@', ' ', '\u0007']) {
    const text = part.repeat(1_000_000 / part.length);
    t.ok(printable(text).length <= 4001, part);
    t.ok(printableJson(JSON.stringify(text)).length >= text.length, part);
  }
});

t.test('what is an HTTP URL of a service', async (t) => {
  for (const url of ['http://a', 'https://a.example:8443/base/', 'HTTP://A.example', 'http://[::1]:4000']) {
    t.ok(isHttpUrl(url), url);
    t.equal(readServiceUrl(`${url} `, 'it'), url);
  }
  for (const text of ['http:/a', 'http:a', '//a', 'http://a:99999', 'http://a\n', ' http://a', 'http://a?b', null, 7]) {
    t.notOk(isHttpUrl(text), String(text));
  }
});
