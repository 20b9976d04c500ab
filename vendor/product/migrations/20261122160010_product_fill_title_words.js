// What belongs to no word: every such character begins one of its own, and so does what comes after it. Spaces,
// punctuation and symbols, and the scripts that are written without spaces.
const alone = [
  '\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7',
  '\\u037e\\u0387\\u055a-\\u055f\\u0589\\u058a\\u05be\\u05c0\\u05c3\\u05f3\\u05f4\\u060c\\u061b-\\u061f\\u066a-\\u066d\\u06d4',
  '\\u0964\\u0965\\u0e00-\\u109f\\u1100-\\u11ff\\u1360-\\u1368\\u1680\\u1780-\\u180e\\u1950-\\u1aaf\\u1b00-\\u1b7f',
  '\\u2000-\\u2bff\\u2e00-\\ua4cf\\ua960-\\ua97f\\ua980-\\ua9ff\\uaa60-\\uaadf\\uac00-\\ufaff\\ufe10-\\ufe6f\\uff00-\\uffff',
  '\\U00010000-\\U0010ffff',
].join('');
const spaces = '\\u0009-\\u000d\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

// In the order of the key, whose index is then written once; what else is checked and indexed comes after.
export const up = (knex) =>
  knex.raw(`
    insert into product_title_words (tenant_id, product_id, status, word_from)
    select distinct tenant_id, id, status, left(substr(title_key, place), 40) as word_from
      from products
     cross join lateral generate_series(1, length(title_key)) as place
     where deleted_at is null
       and substr(title_key, place, 1) !~ '[${spaces}]' and substr(' ' || title_key, place, 2) ~ '[${alone}]'
     order by tenant_id, status, word_from, id;
    create index product_title_words_product on product_title_words (tenant_id, product_id);
    alter table product_title_words
      add constraint product_title_words_product foreign key (tenant_id, product_id) references products (tenant_id, id);
  `);

export const down = (knex) =>
  knex.raw(`
    alter table product_title_words drop constraint product_title_words_product;
    drop index product_title_words_product;
    delete from product_title_words;
  `);
