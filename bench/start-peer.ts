/**
 * A bare Koa and pg server whose `/health` runs one query.
 */
import Koa from 'koa';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const app = new Koa();
app.use(async (ctx) => {
  await pool.query('select 1');
  ctx.body = { status: 'ok' };
});
app.listen(Number(process.env.PORT), process.env.HOST);
process.once('SIGTERM', () => process.exit(0));
