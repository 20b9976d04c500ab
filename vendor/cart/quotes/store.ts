/**
 * Quotes of services as the packages of totals steps store them, each in a table of its own: until they expire, by
 * hashes of what was asked, without personal data.
 */
import { isServiceRefusal, json, ServiceError, type TenantDatabase } from '@carton/runtime';

export interface StoredQuote<Answer> {
  digest: string;
  /** Null if the service refused the question. */
  answer: Answer | null;
}

export interface QuoteKey {
  /** See `saleKeyOf`. */
  saleKey: string;
  /** See `digestOf`. */
  digest: string;
}

/** Discounts and the choice of shipping make several questions of one sale; few, since each is a change by a shopper. */
const maxQuotes = 20;
/** Minutes for which a service is not asked again after it refused a question. */
const refusalLifetime = 5;

/**
 * The quotes in a table with the columns sale_key, digest, answer (jsonb) and expires_at, and the primary key
 * (tenant_id, sale_key, digest).
 */
export function quoteStore<Answer>(table: string) {
  /** Also deletes some expired quotes, more than it adds. */
  const upsert = `
    with expired as (
      delete from ${table}
       where tenant_id = $1 and (sale_key, digest) in (
             select sale_key, digest from ${table}
              where tenant_id = $1 and expires_at < now() and digest <> $3
              order by expires_at limit 10 for update skip locked)
    )
    insert into ${table} (tenant_id, sale_key, digest, answer, expires_at)
    values ($1, $2, $3, $4, now() + $5 * interval '1 minute')
    on conflict (tenant_id, sale_key, digest) do update set answer = excluded.answer, expires_at = excluded.expires_at`;

  async function store(db: TenantDatabase, { saleKey, digest }: QuoteKey, answer: Answer | null, minutes: number) {
    await db.query(upsert, [saleKey, digest, answer && json(answer), minutes]);
  }

  return {
    /**
     * SQL of the quotes of a sale that have not expired, as a JSON array of `StoredQuote`, for the statement in which a
     * step reads. @param saleKey the placeholder of the key
     */
    select: (saleKey: string) => `
      coalesce((select json_agg(json_build_object('digest', quote.digest, 'answer', quote.answer))
                  from (select digest, answer from ${table}
                         where tenant_id = $1 and sale_key = ${saleKey} and expires_at > now()
                         order by expires_at desc limit ${maxQuotes}) quote), '[]')`,

    /**
     * Calls a service and stores its answer, or that it refuses the question.
     * @returns false if it gives no answer
     */
    async ask(db: TenantDatabase, key: QuoteKey, minutes: number, call: () => Promise<Answer>): Promise<boolean> {
      try {
        await store(db, key, await call(), minutes);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (!isServiceRefusal(error)) return false;
        await store(db, key, null, refusalLifetime);
      }
      return true;
    },
  };
}
