// Spaces, punctuation and symbols begin no word; after them, a word begins. Each character of scripts that are written
// without spaces begins a word too.
const separators =
  '\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u2000-\\u206f\\u3000-\\u3004';
const ideographs = '\\u2e80-\\u2fff\\u3005-\\ua4cf\\uac00-\\ud7ff\\uf900-\\ufaff';

export const up = (knex) =>
  knex.raw(`
    insert into order_words (tenant_id, order_id, word_from)
    select tenant_id, id, left(email_key, 100) from orders
     union
    select tenant_id, id, left(substr(key, place), 100)
      from orders
     cross join lateral (values (lower(number)), (lower(customer_name))) as texts (key)
     cross join lateral generate_series(1, length(key)) as place
     where substr(key, place, 1) !~ '[${separators}]'
       and substr(' ' || key, place, 2) ~ '[${separators}${ideographs}]';
    create index order_words_found on order_words (tenant_id, word_from, order_id);
    alter table order_words
      add constraint order_words_order foreign key (tenant_id, order_id) references orders (tenant_id, id);
  `);

export const down = (knex) =>
  knex.raw(`
    alter table order_words drop constraint order_words_order;
    drop index order_words_found;
    delete from order_words;
  `);
