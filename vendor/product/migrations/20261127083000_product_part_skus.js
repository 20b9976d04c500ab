// Up to when the job has checked what was changed for words as they are now, which find SKUs by their parts. Earlier releases
// go on with folded_to, so that one of them, during a rolling upgrade, does not count as a check.
export const up = (knex) => knex.raw('alter table product_word_progress add column parted_to timestamptz(3)');

export const down = (knex) => knex.raw('alter table product_word_progress drop column parted_to');
