// Secrets in files: what is read, what is wrong, and changes while a process runs.

import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { followSecretFiles, readSecretFiles, SecretFile } from '../secret-files.ts';
import { firstOf, isOneOf, type Secret } from '../secrets.ts';
import { makeFolder, waitUntil } from '../testing/index.ts';

const one = 'the-first-secret-of-tests';
const two = 'the-second-secret-of-tests';
const three = 'the-third-secret-of-tests';

async function makeFile(t: Test, content: string, mode = 0o640): Promise<string> {
  const path = join(await makeFolder(t), 'secret');
  await writeFile(path, content, { mode });
  await chmod(path, mode);
  return path;
}

/** Replaces a file as deployment tools do: by a rename. */
async function replace(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

const allowed = (secret: Secret) => [one, two, three].filter((value) => isOneOf(value, secret));

t.test('a file has one or two secrets, and the first is sent', async (t) => {
  for (const content of [one, `${one}\n`, `${one}\r\n`, `${one}\n\n`]) {
    const file = new SecretFile('S', await makeFile(t, content));
    t.strictSame([firstOf(file), allowed(file)], [one, [one]]);
  }
  const both = new SecretFile('S', await makeFile(t, `${two}\n${one}\n`));
  t.strictSame([firstOf(both), allowed(both)], [two, [one, two]]);
  t.notOk(isOneOf('', both));
  t.notOk(isOneOf(undefined, both));
  t.notOk(isOneOf(`${two}\n${one}`, both));
});

t.test('a wrong file is named with its setting, and its content is not shown', async (t) => {
  const folder = await makeFolder(t);
  await mkdir(join(folder, 'folder'), { mode: 0o700 });
  const cases: [path: string, fault: RegExp][] = [
    [await makeFile(t, ''), /^S_FILE is an empty file$/],
    [await makeFile(t, '\n'), /^S_FILE is an empty file$/],
    [await makeFile(t, 'short'), /^S_FILE has fewer than 16 characters in line 1$/],
    [await makeFile(t, `${one}\nshort`), /^S_FILE has fewer than 16 characters in line 2$/],
    [await makeFile(t, `${one}\n${two}\n${three}`), /^S_FILE is a file with 3 lines, and may have one or two$/],
    [await makeFile(t, ` ${one}`), /^S_FILE has spaces around the secret/],
    [await makeFile(t, `${one}\u0000`), /^S_FILE has spaces around the secret/],
    [await makeFile(t, one, 0o644), /^S_FILE is a file that is open to every user of this machine \(chmod o= \//],
    [await makeFile(t, `${one}\n`.repeat(400)), /^S_FILE is a file of more than 4096 bytes/],
    [join(folder, 'none'), /^S_FILE is a file that cannot be read \(there is none\): \//],
    [join(folder, 'folder'), /^S_FILE is not a file/],
  ];
  for (const [path, fault] of cases) {
    const { faults, files } = readSecretFiles(['S'], { S_FILE: path });
    t.match(faults[0], fault);
    t.strictSame([faults.length, files.length], [1, 0]);
    t.notMatch(faults[0], /-of-tests/);
  }
  const path = await makeFile(t, one);
  t.match(
    readSecretFiles(['S'], { S_FILE: path, S: two }).faults[0],
    /^S_FILE is set, and so is S: remove one of them$/,
  );
  const { environment, files, faults } = readSecretFiles(['S'], { S_FILE: '', S: two });
  t.strictSame([environment, files, faults], [{ S_FILE: '', S: two }, [], []], 'an empty one is not set');
});

t.test('changes are followed: a second secret, then the former one removed', async (t) => {
  const file = new SecretFile('S', await makeFile(t, `${one}\n`));
  const lines: string[] = [];
  const following = followSecretFiles(
    [file],
    (level, message, fields) => lines.push(JSON.stringify({ level, message, ...fields })),
    5,
  );
  t.teardown(() => following.stop());
  await replace(file.path, `${two}\n${one}\n`);
  await waitUntil(() => firstOf(file) === two);
  t.strictSame(allowed(file), [one, two]);
  await replace(file.path, `${two}\n`);
  await waitUntil(() => file.values.length === 1);
  t.strictSame(allowed(file), [two], 'the former one is valid no longer');
  t.equal(lines.length, 2);
  t.match(lines.join('\n'), /"a secret was replaced","setting":"S_FILE".*"valid":2.*\n.*"valid":1/);
  t.notMatch(lines.join(), /-of-tests/, 'no secret is logged');
});

t.test('a file that becomes wrong keeps the former secrets, and is logged once', async (t) => {
  const file = new SecretFile('S', await makeFile(t, `${one}\n${two}\n`));
  const lines: string[] = [];
  const look = () =>
    file.readAgain((level, message, fields) => lines.push(`${level} ${message} ${fields.reason ?? ''}`), false);
  const wrong: [() => Promise<void>, RegExp][] = [
    [() => writeFile(file.path, ''), /is an empty file/],
    [() => writeFile(file.path, `${three}\n${one}\n${two}\n`), /with 3 lines/],
    [() => writeFile(file.path, 'short'), /fewer than 16/],
    [() => rm(file.path), /there is none/],
  ];
  for (const [change, reason] of wrong) {
    await change();
    lines.length = 0;
    for (let count = 0; count < 3; count += 1) look();
    t.match(lines[0], reason);
    t.strictSame([lines.length, lines[0]?.startsWith('warn ')], [1, true]);
    t.strictSame(allowed(file), [one, two]);
  }
  await replace(file.path, `${three}\n`);
  lines.length = 0;
  look();
  t.strictSame(allowed(file), [one, two], 'a change that was read once may be half of one');
  look();
  t.strictSame(allowed(file), [three]);
  t.strictSame(lines, ['info the file of a secret is right again ', 'info a secret was replaced ']);
});

t.test('links are followed, as Kubernetes replaces a folder of secrets', async (t) => {
  const folder = await makeFolder(t);
  for (const [name, secret] of [
    ['old', one],
    ['new', two],
  ] as const) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'secret'), secret, { mode: 0o440 });
  }
  await symlink('old', join(folder, 'data'));
  await symlink('data/secret', join(folder, 'secret'));
  const file = new SecretFile('S', join(folder, 'secret'));
  t.equal(firstOf(file), one);
  await symlink('new', join(folder, 'data.new'));
  await rename(join(folder, 'data.new'), join(folder, 'data'));
  file.readAgain(() => {}, true);
  t.strictSame(allowed(file), [two]);
});
