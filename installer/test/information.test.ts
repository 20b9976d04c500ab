/**
 * `license`, `version`, `open` and `completion`.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { scope } from '../vendor.ts';
import { key, makeBox } from './support/box.ts';
import { makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const packages = [`${scope}/runtime`];
const other = 'ctn_growth_0123456789abcdefghijq7ma';
const vendor = await startVendor([makeRuntime()], {
  [key]: { tier: 'basic', packages },
  [other]: { tier: 'growth', packages },
});
t.teardown(() => vendor.close());

t.test('license shows what the licence includes, and what is on disk when the control plane is away', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const shown = await box.run(['license', '--json']);
  t.match(shown, {
    exitCode: 0,
    end: { result: { state: 'active', tier: 'basic', channel: 'stable', packages: exactly(packages) } },
  });
  t.notMatch(shown.stdout, key);
  t.equal(vendor.activations.at(-1)?.['installation-id'], undefined, 'reading takes no place of the licence');
  vendor.licences.set(key, { status: 403, code: 'license_suspended', title: 'Suspended', detail: 'Ask the vendor.' });
  t.match(await box.run(['license', 'show', '--json']), { exitCode: 4, end: { result: { state: 'not_active' } } });
  vendor.licences.delete(key);
  t.match(await box.run(['license', '--json']), { exitCode: 3, end: { result: { state: 'wrong_key' } } });
  vendor.licences.set(key, { tier: 'basic', packages });
  const settings = JSON.parse(await readFile(box.folder.settings, 'utf8'));
  await writeFile(box.folder.settings, JSON.stringify({ ...settings, controlPlaneUrl: 'http://127.0.0.1:9' }));
  t.match(await box.run(['license', '--json']), {
    exitCode: 5,
    end: { result: { state: 'unknown', tier: 'basic' } },
  });
});

t.test('license replace keeps the former key unless the new one is accepted', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const path = join(box.folder.root, '..', 'licence.txt');
  const keyOf = async () => parseEnv(await readFile(box.folder.secrets, 'utf8')).LICENSE_KEY;
  await writeFile(path, 'ctn_basic_unknown');
  t.match(await box.run(['license', 'replace', '--key-file', path, '--json']), { exitCode: 3 });
  t.equal(await keyOf(), key);
  await writeFile(path, `${other}\n`);
  const replaced = await box.run(['license', 'replace', '--key-file', path, '--json']);
  t.match(replaced, {
    exitCode: 0,
    end: { result: { key: 'ctn_growth_…q7ma', tier: 'growth', installedTier: 'basic', changed: true } },
  });
  t.notMatch(replaced.stdout, other);
  t.equal(await keyOf(), other);
});

t.test('version and open', async (t) => {
  const box = await makeBox(t, vendor);
  t.match(await box.run(['version', '--json']), { exitCode: 0, end: { result: { release: undefined } } });
  const { end } = await box.install();
  const { release } = end.result as { release: string };
  t.match(await box.run(['version', '--check', '--json']), {
    exitCode: 0,
    end: {
      result: {
        release,
        runningRelease: release,
        engine: '0.1.0',
        node: process.versions.node,
        newest: { changes: 0 },
      },
    },
  });
  vendor.packages.set(`${scope}/runtime`, makeRuntime('0.1.1'));
  t.match(await box.run(['version', '--check']), { stdout: /newest +1\.0\.0: changes 1 package\n/ });
  vendor.packages.set(`${scope}/runtime`, makeRuntime());
  t.match(await box.run(['open', 'docs', '--json']), { exitCode: 0, end: { result: { url: `${box.url}/docs` } } });
  t.match(await box.run(['open', 'shelf', '--json']), { exitCode: 2 });
});

t.test('bash completes commands, options and values', async (t) => {
  const box = await makeBox(t, undefined);
  const { stdout: script } = await box.run(['completion', 'bash']);
  const complete = async (...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(' ');
    const program = `${script}\ncomplete -p carton >&2\nCOMP_WORDS=(${line}) COMP_CWORD=${words.length - 1}\n_carton\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', program]);
    t.match(stderr, 'complete -F _carton carton');
    return stdout.split('\n').filter((word) => word !== '');
  };
  t.strictSame(await complete('carton', 'sta'), ['start', 'status']);
  t.strictSame(await complete('carton', 'config', ''), ['list', 'get', 'set', 'unset', 'check']);
  t.strictSame(
    await complete('carton', '--dir', 'service', 'config', 'un'),
    ['unset'],
    'the value of --dir is no command',
  );
  t.strictSame(await complete('carton', 'logs', '--'), ['--dir', '--json', '--lines', '--follow', '--help']);
  t.strictSame(await complete('carton', 'domains', 'status', '--w'), ['--watch']);
  t.strictSame(await complete('carton', 'completion', ''), ['bash', 'zsh', 'fish']);
  t.strictSame(await complete('carton', 'install', '--ke'), ['--key-file'], 'hidden options are left out');
  t.strictSame(await complete('carton', 'status', '--dir', '/us'), ['/usr']);
  t.match((await box.run(['completion', 'zsh'])).stdout, /^#compdef carton\n/);
  const fish = (await box.run(['completion', 'fish'])).stdout;
  t.match(fish, "complete -c carton -n __fish_use_subcommand -a doctor -d 'say what is wrong");
  t.match(await box.run(['completion', 'powershell']), { exitCode: 2 });
});
