/**
 * The PostgreSQL server of a run, with a template of test databases for each state of the sources that creates tables.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { administer, startTestServer } from '@carton/runtime/testing';

const program = 'tools/mutations/template.ts';

export interface MutationServer {
  /** The environment of test files; without a template, it is the one to create one in. */
  environment(template?: string): NodeJS.ProcessEnv;
  /** Creates a template from the sources of a copy, and returns its name. @throws Error with what the program wrote */
  createTemplate(copy: string): Promise<string>;
  dropTemplate(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** @param folder for the data, and for what Node.js keeps of compiled modules */
export async function startMutationServer(folder: string): Promise<MutationServer> {
  const postgres = await startTestServer(join(folder, 'postgresql'));
  process.env.TEST_DATABASE_URL = postgres.url;
  const environment = (template?: string) => ({
    ...process.env,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    ...(template !== undefined && { TEST_TEMPLATE: template }),
  });
  return {
    environment,
    async createTemplate(copy) {
      // Another checkout may lack the program.
      await mkdir(dirname(join(copy, program)), { recursive: true });
      await copyFile(new URL('./template.ts', import.meta.url), join(copy, program));
      const name = `template_${randomBytes(6).toString('hex')}`;
      const child = spawn(process.execPath, ['--conditions=workspace-source', program, name], {
        cwd: copy,
        env: environment(),
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const [log, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
      if (code !== 0) throw new Error(`the template could not be created:\n${log}`);
      return name;
    },
    dropTemplate: (name) => administer(`drop database ${name} with (force)`),
    stop: () => postgres.stop(),
  };
}
