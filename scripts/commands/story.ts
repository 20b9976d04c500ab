/**
 * `npm run story`: runs stories of docs/stories against a box.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startMailServer } from '@carton/notification/testing';
import { runCommand, UsageError } from '../../tools/command-line.ts';
import { runStory } from '../../tools/stories/run.ts';

const help = `Usage: npm run story -- <file>... [options]

Runs stories (docs/stories) against the box of npm start, each in a new store, and says at which step a response or a
mail is not as written.

  --home <folder>        the local stack (CARTON_HOME, .carton)
  --mail-port <number>   listens for the mails of the box, whose settings name this port (SMTP_HOST=127.0.0.1,
                         SMTP_PORT, SMTP_TLS=none, MAIL_FROM); by default nobody looks at its mails
  --help                 this text

Exit codes: 0 all as written, 1 something differs or the box cannot be reached, 2 wrong usage.`;

const text = { type: 'string' } as const;
const options = { home: text, 'mail-port': text } as const;

function portOf(value: string): number {
  const port = Number(value);
  if (!(port > 0 && port < 65_536)) throw new UsageError('--mail-port is not a port');
  return port;
}

const line = { name: 'npm run story', help, options, most: Number.POSITIVE_INFINITY };
await runCommand(line, async ({ values, positionals: files }) => {
  const { home = process.env.CARTON_HOME || '.carton', 'mail-port': port } = values;
  const mailPort = port === undefined ? null : portOf(port);
  if (files.length === 0) throw new UsageError('name at least one story');
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw new UsageError(`there is no file '${missing}'`);
  const file = join(resolve(home), 'stack.json');
  const stack = JSON.parse(
    await readFile(file, 'utf8').catch(() => {
      throw new Error(`there is no local stack in ${resolve(home)}: run npm start first`);
    }),
  );
  const mailbox = mailPort === null ? null : await startMailServer({}, mailPort);
  try {
    for (const each of files) {
      const slug = `story-${randomBytes(4).toString('hex')}`;
      await runStory(each, {
        url: stack.boxUrl,
        headers: { 'x-tenant-slug': slug, 'x-hosting-secret': stack.hostingSecret },
        values: { slug, operator: stack.operatorSecret },
        mailbox,
        told: (step) => console.log(step),
      });
    }
    return 0;
  } finally {
    await mailbox?.stop();
  }
});
