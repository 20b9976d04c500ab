/**
 * `npm run story`: runs stories of docs/stories against a box.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startMailServer } from '@carton/notification/testing';
import { runStory } from '../../tools/stories/run.ts';

const help = `npm run story -- <file>... [options]

Runs stories (docs/stories) against the box of npm start, each in a new store, and says at which step a response or a
mail is not as written.

  --home <folder>        the local stack (CARTON_HOME, .carton)
  --mail-port <number>   listens for the mails of the box, whose settings name this port (SMTP_HOST=127.0.0.1,
                         SMTP_PORT, SMTP_TLS=none, MAIL_FROM); by default nobody looks at its mails
  --help                 this text

Exit codes: 0 all as written, 1 something differs or the box cannot be reached, 2 wrong usage.`;

class UsageError extends Error {}

function readParameters() {
  const text = { type: 'string' } as const;
  const options = { home: text, 'mail-port': text, help: { type: 'boolean' } } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (!values.help && positionals.length === 0) throw new UsageError('name at least one story');
    const mailPort = values['mail-port'] === undefined ? null : Number(values['mail-port']);
    if (mailPort !== null && !(mailPort > 0 && mailPort < 65_536)) throw new UsageError('--mail-port is not a port');
    return { ...values, mailPort, files: positionals };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}

async function main(): Promise<number> {
  const { help: isHelp, home = process.env.CARTON_HOME || '.carton', mailPort, files } = readParameters();
  if (isHelp) {
    console.log(help);
    return 0;
  }
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
}

try {
  process.exit(await main());
} catch (error) {
  console.error(`story: ${(error as Error).message}`);
  if (error instanceof UsageError) console.error(`\n${help}`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
