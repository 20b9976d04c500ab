-- Statements that @carton/order composes of parts, as the samples of testing/statements.ts send them.
-- Written by `npm run documentation`.

-- placing.insertOrder
-- $2 string, $3 string, $4 string, $5 string, $6 string, $7 string, $8 null, $9 null, $10 string, $11 string, $12 string
with
  placed as (
    insert into
      orders (
        tenant_id,
        id,
        number,
        cart_id,
        session_hash,
        member_id,
        payment_status,
        currency,
        subtotal_amount,
        discount_amount,
        shipping_amount,
        tax_amount,
        credit_amount,
        rounding_amount,
        total_amount,
        email,
        customer_name,
        phone,
        notes,
        metadata,
        region_id,
        locale,
        pay_by,
        attribution,
        terms_version,
        terms_accepted_at,
        pending_until,
        tax_number,
        tax_number_check,
        tax_exemption
      )
    select
      $1,
      $3,
      draft.number,
      draft."cartId",
      draft."sessionHash",
      draft."memberId",
      draft."paymentStatus",
      draft.currency,
      draft."subtotalAmount",
      draft."discountAmount",
      draft."shippingAmount",
      draft."taxAmount",
      draft."creditAmount",
      draft."roundingAmount",
      draft."totalAmount",
      draft.email,
      draft."customerName",
      draft.phone,
      draft.notes,
      draft.metadata,
      draft."regionId",
      draft.locale,
      draft."payBy",
      draft.attribution,
      draft."termsVersion",
      case
        when draft."termsVersion" is not null then now()
      end,
      draft."pendingUntil",
      draft."taxNumber",
      draft."taxNumberCheck",
      draft."taxExemption"
    from
      jsonb_to_record($2::jsonb) as draft (
        number text,
        "cartId" uuid,
        "sessionHash" text,
        "memberId" uuid,
        "paymentStatus" text,
        currency text,
        "subtotalAmount" bigint,
        "discountAmount" bigint,
        "shippingAmount" bigint,
        "taxAmount" bigint,
        "creditAmount" bigint,
        "roundingAmount" bigint,
        "totalAmount" bigint,
        email text,
        "customerName" text,
        phone text,
        notes text,
        metadata jsonb,
        "regionId" uuid,
        locale text,
        "payBy" timestamptz,
        attribution jsonb,
        "termsVersion" text,
        "pendingUntil" timestamptz,
        "taxNumber" text,
        "taxNumberCheck" jsonb,
        "taxExemption" text
      )
  ),
  lines as (
    insert into
      order_line_items (
        tenant_id,
        order_id,
        id,
        position,
        variant_id,
        product_id,
        sku,
        title,
        variant_title,
        properties,
        quantity,
        unit_amount,
        total_amount,
        requires_shipping
      )
    select
      $1,
      $3,
      part.id,
      part.position,
      part."variantId",
      part."productId",
      part.sku,
      part.title,
      part."variantTitle",
      part.properties,
      part.quantity,
      part."unitAmount",
      part."totalAmount",
      part."requiresShipping"
    from
      jsonb_to_recordset($2::jsonb -> 'lines') as part (
        id uuid,
        position integer,
        "variantId" uuid,
        "productId" uuid,
        sku text,
        title text,
        "variantTitle" text,
        properties jsonb,
        quantity integer,
        "unitAmount" bigint,
        "totalAmount" bigint,
        "requiresShipping" boolean
      )
  ),
  addresses as (
    insert into
      order_addresses (tenant_id, order_id, type, address)
    select
      $1,
      $3,
      part.key,
      part.value
    from
      jsonb_each($2::jsonb -> 'addresses') as part
  ),
  words as (
    insert into
      order_words (tenant_id, order_id, word_from)
    select
      $1,
      $3,
      word_from
    from
      (
        select
          word_from
        from
          jsonb_array_elements_text($2::jsonb -> 'words') as word_from
      ) words
  ),
  history as (
    insert into
      order_events (tenant_id, order_id, id, type, message, actor_type, actor_id, actor_label)
    values
      ($1, $3, $4, $5, $6, $7, $8, $9)
  )
insert into
  event_outbox (tenant_id, id, type, resource_type, resource_id, payload)
values
  ($1, $10, $11, 'order', $3, $12)
returning
  created_at;

-- placing.insertOrder with taxes
-- $2 string, $3 string, $4 string, $5 string, $6 string, $7 string, $8 null, $9 null, $10 string, $11 string, $12 string
with
  placed as (
    insert into
      orders (
        tenant_id,
        id,
        number,
        cart_id,
        session_hash,
        member_id,
        payment_status,
        currency,
        subtotal_amount,
        discount_amount,
        shipping_amount,
        tax_amount,
        credit_amount,
        rounding_amount,
        total_amount,
        email,
        customer_name,
        phone,
        notes,
        metadata,
        region_id,
        locale,
        pay_by,
        attribution,
        terms_version,
        terms_accepted_at,
        pending_until,
        tax_number,
        tax_number_check,
        tax_exemption
      )
    select
      $1,
      $3,
      draft.number,
      draft."cartId",
      draft."sessionHash",
      draft."memberId",
      draft."paymentStatus",
      draft.currency,
      draft."subtotalAmount",
      draft."discountAmount",
      draft."shippingAmount",
      draft."taxAmount",
      draft."creditAmount",
      draft."roundingAmount",
      draft."totalAmount",
      draft.email,
      draft."customerName",
      draft.phone,
      draft.notes,
      draft.metadata,
      draft."regionId",
      draft.locale,
      draft."payBy",
      draft.attribution,
      draft."termsVersion",
      case
        when draft."termsVersion" is not null then now()
      end,
      draft."pendingUntil",
      draft."taxNumber",
      draft."taxNumberCheck",
      draft."taxExemption"
    from
      jsonb_to_record($2::jsonb) as draft (
        number text,
        "cartId" uuid,
        "sessionHash" text,
        "memberId" uuid,
        "paymentStatus" text,
        currency text,
        "subtotalAmount" bigint,
        "discountAmount" bigint,
        "shippingAmount" bigint,
        "taxAmount" bigint,
        "creditAmount" bigint,
        "roundingAmount" bigint,
        "totalAmount" bigint,
        email text,
        "customerName" text,
        phone text,
        notes text,
        metadata jsonb,
        "regionId" uuid,
        locale text,
        "payBy" timestamptz,
        attribution jsonb,
        "termsVersion" text,
        "pendingUntil" timestamptz,
        "taxNumber" text,
        "taxNumberCheck" jsonb,
        "taxExemption" text
      )
  ),
  lines as (
    insert into
      order_line_items (
        tenant_id,
        order_id,
        id,
        position,
        variant_id,
        product_id,
        sku,
        title,
        variant_title,
        properties,
        quantity,
        unit_amount,
        total_amount,
        requires_shipping
      )
    select
      $1,
      $3,
      part.id,
      part.position,
      part."variantId",
      part."productId",
      part.sku,
      part.title,
      part."variantTitle",
      part.properties,
      part.quantity,
      part."unitAmount",
      part."totalAmount",
      part."requiresShipping"
    from
      jsonb_to_recordset($2::jsonb -> 'lines') as part (
        id uuid,
        position integer,
        "variantId" uuid,
        "productId" uuid,
        sku text,
        title text,
        "variantTitle" text,
        properties jsonb,
        quantity integer,
        "unitAmount" bigint,
        "totalAmount" bigint,
        "requiresShipping" boolean
      )
  ),
  addresses as (
    insert into
      order_addresses (tenant_id, order_id, type, address)
    select
      $1,
      $3,
      part.key,
      part.value
    from
      jsonb_each($2::jsonb -> 'addresses') as part
  ),
  adjustments as (
    insert into
      order_adjustments (
        tenant_id,
        order_id,
        id,
        line_item_id,
        shipping_code,
        kind,
        code,
        label,
        amount,
        source_type,
        source_id
      )
    select
      $1,
      $3,
      part.id,
      part."itemId",
      part."shippingCode",
      part.kind,
      part.code,
      part.label,
      part.amount,
      part.source ->> 'type',
      part.source ->> 'id'
    from
      jsonb_to_recordset($2::jsonb -> 'adjustments') as part (
        id uuid,
        "itemId" uuid,
        "shippingCode" text,
        kind text,
        code text,
        label text,
        amount bigint,
        source jsonb
      )
  ),
  tax_lines as (
    insert into
      order_tax_lines (
        tenant_id,
        order_id,
        id,
        line_item_id,
        shipping_code,
        code,
        label,
        rate,
        amount,
        included,
        source_type,
        source_id
      )
    select
      $1,
      $3,
      part.id,
      part."itemId",
      part."shippingCode",
      part.code,
      part.label,
      part.rate,
      part.amount,
      part.included,
      part.source ->> 'type',
      part.source ->> 'id'
    from
      jsonb_to_recordset($2::jsonb -> 'taxLines') as part (
        id uuid,
        "itemId" uuid,
        "shippingCode" text,
        code text,
        label text,
        rate numeric,
        amount bigint,
        included boolean,
        source jsonb
      )
  ),
  words as (
    insert into
      order_words (tenant_id, order_id, word_from)
    select
      $1,
      $3,
      word_from
    from
      (
        select
          word_from
        from
          jsonb_array_elements_text($2::jsonb -> 'words') as word_from
      ) words
  ),
  history as (
    insert into
      order_events (tenant_id, order_id, id, type, message, actor_type, actor_id, actor_label)
    values
      ($1, $3, $4, $5, $6, $7, $8, $9)
  )
insert into
  event_outbox (tenant_id, id, type, resource_type, resource_id, payload)
values
  ($1, $10, $11, 'order', $3, $12)
returning
  created_at;

-- placing.insertOrder of any texts
-- $2 string, $3 string, $4 string, $5 string, $6 string, $7 string, $8 null, $9 null, $10 string, $11 string, $12 string
with
  placed as (
    insert into
      orders (
        tenant_id,
        id,
        number,
        cart_id,
        session_hash,
        member_id,
        payment_status,
        currency,
        subtotal_amount,
        discount_amount,
        shipping_amount,
        tax_amount,
        credit_amount,
        rounding_amount,
        total_amount,
        email,
        customer_name,
        phone,
        notes,
        metadata,
        region_id,
        locale,
        pay_by,
        attribution,
        terms_version,
        terms_accepted_at,
        pending_until,
        tax_number,
        tax_number_check,
        tax_exemption
      )
    select
      $1,
      $3,
      draft.number,
      draft."cartId",
      draft."sessionHash",
      draft."memberId",
      draft."paymentStatus",
      draft.currency,
      draft."subtotalAmount",
      draft."discountAmount",
      draft."shippingAmount",
      draft."taxAmount",
      draft."creditAmount",
      draft."roundingAmount",
      draft."totalAmount",
      draft.email,
      draft."customerName",
      draft.phone,
      draft.notes,
      draft.metadata,
      draft."regionId",
      draft.locale,
      draft."payBy",
      draft.attribution,
      draft."termsVersion",
      case
        when draft."termsVersion" is not null then now()
      end,
      draft."pendingUntil",
      draft."taxNumber",
      draft."taxNumberCheck",
      draft."taxExemption"
    from
      jsonb_to_record($2::jsonb) as draft (
        number text,
        "cartId" uuid,
        "sessionHash" text,
        "memberId" uuid,
        "paymentStatus" text,
        currency text,
        "subtotalAmount" bigint,
        "discountAmount" bigint,
        "shippingAmount" bigint,
        "taxAmount" bigint,
        "creditAmount" bigint,
        "roundingAmount" bigint,
        "totalAmount" bigint,
        email text,
        "customerName" text,
        phone text,
        notes text,
        metadata jsonb,
        "regionId" uuid,
        locale text,
        "payBy" timestamptz,
        attribution jsonb,
        "termsVersion" text,
        "pendingUntil" timestamptz,
        "taxNumber" text,
        "taxNumberCheck" jsonb,
        "taxExemption" text
      )
  ),
  lines as (
    insert into
      order_line_items (
        tenant_id,
        order_id,
        id,
        position,
        variant_id,
        product_id,
        sku,
        title,
        variant_title,
        properties,
        quantity,
        unit_amount,
        total_amount,
        requires_shipping
      )
    select
      $1,
      $3,
      part.id,
      part.position,
      part."variantId",
      part."productId",
      part.sku,
      part.title,
      part."variantTitle",
      part.properties,
      part.quantity,
      part."unitAmount",
      part."totalAmount",
      part."requiresShipping"
    from
      jsonb_to_recordset($2::jsonb -> 'lines') as part (
        id uuid,
        position integer,
        "variantId" uuid,
        "productId" uuid,
        sku text,
        title text,
        "variantTitle" text,
        properties jsonb,
        quantity integer,
        "unitAmount" bigint,
        "totalAmount" bigint,
        "requiresShipping" boolean
      )
  ),
  addresses as (
    insert into
      order_addresses (tenant_id, order_id, type, address)
    select
      $1,
      $3,
      part.key,
      part.value
    from
      jsonb_each($2::jsonb -> 'addresses') as part
  ),
  words as (
    insert into
      order_words (tenant_id, order_id, word_from)
    select
      $1,
      $3,
      word_from
    from
      (
        select
          left(lower(($2::jsonb ->> 'email')), 100) as word_from
        union
        select distinct
          left(substr(key, place), 100) as word_from
        from
          (
            select distinct
              key
            from
              (
                values
                  (replace(lower(translate(normalize(($2::jsonb ->> 'number')), '’‘ʼ´`', '''''''''''')), 'ς', 'σ')),
                  (
                    regexp_replace(
                      lower(translate(normalize(($2::jsonb ->> 'number')), '’‘ʼ´`', '''''''''''')),
                      '[σςΣ](?![\u0370-\u03ff\u1f00-\u1fff])',
                      'ς',
                      'g'
                    )
                  ),
                  (
                    replace(
                      replace(
                        replace(
                          replace(
                            replace(
                              replace(
                                replace(
                                  replace(
                                    lower(regexp_replace(normalize(($2::jsonb ->> 'number'), NFKD), '[\u0300-\u036f''’‘ʼ´`]', '', 'g')),
                                    'ß',
                                    'ss'
                                  ),
                                  'æ',
                                  'ae'
                                ),
                                'œ',
                                'oe'
                              ),
                              'ł',
                              'l'
                            ),
                            'ø',
                            'o'
                          ),
                          'đ',
                          'd'
                        ),
                        'ı',
                        'i'
                      ),
                      'ς',
                      'σ'
                    )
                  ),
                  (
                    regexp_replace(
                      replace(
                        replace(
                          replace(
                            replace(
                              replace(
                                replace(
                                  replace(
                                    lower(regexp_replace(normalize(($2::jsonb ->> 'number'), NFKD), '[\u0300-\u036f''’‘ʼ´`]', '', 'g')),
                                    'ß',
                                    'ss'
                                  ),
                                  'æ',
                                  'ae'
                                ),
                                'œ',
                                'oe'
                              ),
                              'ł',
                              'l'
                            ),
                            'ø',
                            'o'
                          ),
                          'đ',
                          'd'
                        ),
                        'ı',
                        'i'
                      ),
                      '[σςΣ](?![\u0370-\u03ff\u1f00-\u1fff])',
                      'ς',
                      'g'
                    )
                  ),
                  (
                    replace(lower(translate(normalize(($2::jsonb ->> 'customerName')), '’‘ʼ´`', '''''''''''')), 'ς', 'σ')
                  ),
                  (
                    regexp_replace(
                      lower(translate(normalize(($2::jsonb ->> 'customerName')), '’‘ʼ´`', '''''''''''')),
                      '[σςΣ](?![\u0370-\u03ff\u1f00-\u1fff])',
                      'ς',
                      'g'
                    )
                  ),
                  (
                    replace(
                      replace(
                        replace(
                          replace(
                            replace(
                              replace(
                                replace(
                                  replace(
                                    lower(regexp_replace(normalize(($2::jsonb ->> 'customerName'), NFKD), '[\u0300-\u036f''’‘ʼ´`]', '', 'g')),
                                    'ß',
                                    'ss'
                                  ),
                                  'æ',
                                  'ae'
                                ),
                                'œ',
                                'oe'
                              ),
                              'ł',
                              'l'
                            ),
                            'ø',
                            'o'
                          ),
                          'đ',
                          'd'
                        ),
                        'ı',
                        'i'
                      ),
                      'ς',
                      'σ'
                    )
                  ),
                  (
                    regexp_replace(
                      replace(
                        replace(
                          replace(
                            replace(
                              replace(
                                replace(
                                  replace(
                                    lower(regexp_replace(normalize(($2::jsonb ->> 'customerName'), NFKD), '[\u0300-\u036f''’‘ʼ´`]', '', 'g')),
                                    'ß',
                                    'ss'
                                  ),
                                  'æ',
                                  'ae'
                                ),
                                'œ',
                                'oe'
                              ),
                              'ł',
                              'l'
                            ),
                            'ø',
                            'o'
                          ),
                          'đ',
                          'd'
                        ),
                        'ı',
                        'i'
                      ),
                      '[σςΣ](?![\u0370-\u03ff\u1f00-\u1fff])',
                      'ς',
                      'g'
                    )
                  )
              ) as written (key)
          ) as texts
          cross join lateral generate_series(1, length(key)) as place
        where
          substr(key, place, 1) !~ '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2000-\u206f\u3000-\u3004]'
          and substr(' ' || key, place, 2) ~ '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2000-\u206f\u3000-\u3004\u2e80-\u2fff\u3005-\ua4cf\uac00-\ud7ff\uf900-\ufaff]'
      ) words
  ),
  history as (
    insert into
      order_events (tenant_id, order_id, id, type, message, actor_type, actor_id, actor_label)
    values
      ($1, $3, $4, $5, $6, $7, $8, $9)
  )
insert into
  event_outbox (tenant_id, id, type, resource_type, resource_id, payload)
values
  ($1, $10, $11, 'order', $3, $12)
returning
  created_at;

-- orders.find
-- $2 string
select
  "orders".*,
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'id',
            id,
            'variantId',
            variant_id,
            'productId',
            product_id,
            'sku',
            sku,
            'title',
            title,
            'variantTitle',
            variant_title,
            'properties',
            properties,
            'quantity',
            quantity,
            'unitAmount',
            unit_amount,
            'totalAmount',
            total_amount,
            'requiresShipping',
            requires_shipping,
            'restockedQuantity',
            restocked_quantity
          )
          order by
            position
        ),
        '[]'
      )
    from
      order_line_items part
    where
      part.tenant_id = orders.tenant_id
      and part.order_id = orders.id
  ) as "lines",
  (
    select
      coalesce(json_object_agg(type, address), '{}')
    from
      order_addresses part
    where
      part.tenant_id = orders.tenant_id
      and part.order_id = orders.id
  ) as "addresses",
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'id',
            id,
            'itemId',
            line_item_id,
            'shippingCode',
            shipping_code,
            'kind',
            kind,
            'code',
            code,
            'label',
            label,
            'amount',
            amount,
            'source',
            case
              when source_type is not null then json_build_object('type', source_type, 'id', source_id)
            end
          )
          order by
            id
        ),
        '[]'
      )
    from
      order_adjustments part
    where
      part.tenant_id = orders.tenant_id
      and part.order_id = orders.id
  ) as "adjustments",
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'id',
            id,
            'itemId',
            line_item_id,
            'shippingCode',
            shipping_code,
            'code',
            code,
            'label',
            label,
            'rate',
            rate,
            'amount',
            amount,
            'included',
            included,
            'source',
            case
              when source_type is not null then json_build_object('type', source_type, 'id', source_id)
            end
          )
          order by
            id
        ),
        '[]'
      )
    from
      order_tax_lines part
    where
      part.tenant_id = orders.tenant_id
      and part.order_id = orders.id
  ) as "tax_lines",
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'lineItemId',
            line_item_id,
            'shippingCode',
            shipping_code,
            'quantity',
            quantity,
            'amount',
            amount,
            'tax',
            tax
          )
        ),
        '[]'
      )
    from
      (
        select
          line_item_id,
          shipping_code,
          sum(quantity)::integer as quantity,
          sum(amount)::bigint as amount,
          sum(tax)::bigint as tax
        from
          order_refund_items part
        where
          part.tenant_id = orders.tenant_id
          and part.order_id = orders.id
        group by
          line_item_id,
          shipping_code
      ) as refunded
  ) as "refund_items"
from
  "orders"
where
  "orders".tenant_id = $1
  and "orders".id = $2;

-- refunds.partsOfOrder
-- $2 string
select
  order_id,
  refund_id,
  line_item_id,
  shipping_code,
  quantity,
  amount,
  tax,
  written_off_quantity
from
  order_refund_items
where
  tenant_id = $1
  and order_id = $2
order by
  id;

-- refunds.partsOfRefunds
-- $2 string[]
select
  order_id,
  refund_id,
  line_item_id,
  shipping_code,
  quantity,
  amount,
  tax,
  written_off_quantity
from
  order_refund_items
where
  tenant_id = $1
  and refund_id = any ($2::uuid[])
  and (
    quantity > 0
    or amount > 0
  )
order by
  id;

-- search.pageOfMatches
-- $2 string, $3 string, $4 boolean, $5 string, $6 string, $7 string, $8 number, $9 number, $10 string[], $11 string, $12 string, $13 string[], $14 number
select
  "orders".*,
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'id',
            id,
            'variantId',
            variant_id,
            'productId',
            product_id,
            'sku',
            sku,
            'title',
            title,
            'variantTitle',
            variant_title,
            'properties',
            properties,
            'quantity',
            quantity,
            'unitAmount',
            unit_amount,
            'totalAmount',
            total_amount,
            'requiresShipping',
            requires_shipping,
            'restockedQuantity',
            restocked_quantity
          )
          order by
            position
        ),
        '[]'
      )
    from
      order_line_items part
    where
      part.tenant_id = orders.tenant_id
      and part.order_id = orders.id
  ) as "lines",
  (
    select
      coalesce(json_object_agg(type, address), '{}')
    from
      order_addresses part
    where
      part.tenant_id = orders.tenant_id
      and part.order_id = orders.id
  ) as "addresses",
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'id',
            id,
            'itemId',
            line_item_id,
            'shippingCode',
            shipping_code,
            'kind',
            kind,
            'code',
            code,
            'label',
            label,
            'amount',
            amount,
            'source',
            case
              when source_type is not null then json_build_object('type', source_type, 'id', source_id)
            end
          )
          order by
            id
        ),
        '[]'
      )
    from
      order_adjustments part
    where
      part.tenant_id = orders.tenant_id
      and part.order_id = orders.id
  ) as "adjustments",
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'id',
            id,
            'itemId',
            line_item_id,
            'shippingCode',
            shipping_code,
            'code',
            code,
            'label',
            label,
            'rate',
            rate,
            'amount',
            amount,
            'included',
            included,
            'source',
            case
              when source_type is not null then json_build_object('type', source_type, 'id', source_id)
            end
          )
          order by
            id
        ),
        '[]'
      )
    from
      order_tax_lines part
    where
      part.tenant_id = orders.tenant_id
      and part.order_id = orders.id
  ) as "tax_lines",
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'lineItemId',
            line_item_id,
            'shippingCode',
            shipping_code,
            'quantity',
            quantity,
            'amount',
            amount,
            'tax',
            tax
          )
        ),
        '[]'
      )
    from
      (
        select
          line_item_id,
          shipping_code,
          sum(quantity)::integer as quantity,
          sum(amount)::bigint as amount,
          sum(tax)::bigint as tax
        from
          order_refund_items part
        where
          part.tenant_id = orders.tenant_id
          and part.order_id = orders.id
        group by
          line_item_id,
          shipping_code
      ) as refunded
  ) as "refund_items"
from
  "orders"
where
  "orders"."tenant_id" = $1
  and orders.status = 'placed'
  and orders.pending_until is null
  and orders.payment_status = $2
  and orders.fulfillment_status = $3
  and orders.archived = $4
  and orders.created_at >= $5::timestamptz
  and orders.created_at < $6::timestamptz
  and orders.currency = $7
  and orders.total_amount >= $8::bigint
  and orders.total_amount <= $9::bigint
  and (
    select
      true
    from
      order_tags
    where
      order_tags.tenant_id = orders.tenant_id
      and order_tags.order_id = orders.id
      and order_tags.tag_key = any ($10::text[])
    limit
      1
  )
  and (
    select
      true
    from
      order_words
    where
      order_words.tenant_id = orders.tenant_id
      and order_words.order_id = orders.id
      and word_from >= lower($11)
      and word_from <= lower($12) || repeat(chr(1114111), 100)
    limit
      1
  )
  and orders.id = any ($13::uuid[])
order by
  "orders"."created_at" desc,
  "orders"."id" desc
limit
  $14;

-- search.pageOfMatches of pending orders
-- $2 number
select
  "orders".*,
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'id',
            id,
            'variantId',
            variant_id,
            'productId',
            product_id,
            'sku',
            sku,
            'title',
            title,
            'variantTitle',
            variant_title,
            'properties',
            properties,
            'quantity',
            quantity,
            'unitAmount',
            unit_amount,
            'totalAmount',
            total_amount,
            'requiresShipping',
            requires_shipping,
            'restockedQuantity',
            restocked_quantity
          )
          order by
            position
        ),
        '[]'
      )
    from
      order_line_items part
    where
      part.tenant_id = orders.tenant_id
      and part.order_id = orders.id
  ) as "lines",
  (
    select
      coalesce(json_object_agg(type, address), '{}')
    from
      order_addresses part
    where
      part.tenant_id = orders.tenant_id
      and part.order_id = orders.id
  ) as "addresses",
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'id',
            id,
            'itemId',
            line_item_id,
            'shippingCode',
            shipping_code,
            'kind',
            kind,
            'code',
            code,
            'label',
            label,
            'amount',
            amount,
            'source',
            case
              when source_type is not null then json_build_object('type', source_type, 'id', source_id)
            end
          )
          order by
            id
        ),
        '[]'
      )
    from
      order_adjustments part
    where
      part.tenant_id = orders.tenant_id
      and part.order_id = orders.id
  ) as "adjustments",
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'id',
            id,
            'itemId',
            line_item_id,
            'shippingCode',
            shipping_code,
            'code',
            code,
            'label',
            label,
            'rate',
            rate,
            'amount',
            amount,
            'included',
            included,
            'source',
            case
              when source_type is not null then json_build_object('type', source_type, 'id', source_id)
            end
          )
          order by
            id
        ),
        '[]'
      )
    from
      order_tax_lines part
    where
      part.tenant_id = orders.tenant_id
      and part.order_id = orders.id
  ) as "tax_lines",
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'lineItemId',
            line_item_id,
            'shippingCode',
            shipping_code,
            'quantity',
            quantity,
            'amount',
            amount,
            'tax',
            tax
          )
        ),
        '[]'
      )
    from
      (
        select
          line_item_id,
          shipping_code,
          sum(quantity)::integer as quantity,
          sum(amount)::bigint as amount,
          sum(tax)::bigint as tax
        from
          order_refund_items part
        where
          part.tenant_id = orders.tenant_id
          and part.order_id = orders.id
        group by
          line_item_id,
          shipping_code
      ) as refunded
  ) as "refund_items"
from
  "orders"
where
  "orders"."tenant_id" = $1
  and orders.status = 'placed'
  and orders.pending_until is not null
order by
  "orders"."created_at" desc,
  "orders"."id" desc
limit
  $2;

-- search.matchesAmong
-- $2 string[], $3 string, $4 string[], $5 string, $6 string, $7 number
select
  orders.id
from
  unnest($2::uuid[]) as listed (id)
  cross join lateral (
    select
      *
    from
      orders
    where
      orders.tenant_id = $1
      and orders.id = listed.id
    offset
      0
  ) orders
where
  orders.status = 'placed'
  and orders.pending_until is null
  and orders.currency = $3
  and (
    select
      true
    from
      order_tags
    where
      order_tags.tenant_id = orders.tenant_id
      and order_tags.order_id = orders.id
      and order_tags.tag_key = any ($4::text[])
    limit
      1
  )
  and (
    select
      true
    from
      order_words
    where
      order_words.tenant_id = orders.tenant_id
      and order_words.order_id = orders.id
      and word_from >= lower($5)
      and word_from <= lower($6) || repeat(chr(1114111), 100)
    limit
      1
  )
  and orders.total_amount >= $7::bigint
limit
  21;

-- search.matchesAmong by words
-- $2 string[], $3 string[], $4 string, $5 string
select
  orders.id
from
  unnest($2::uuid[]) as listed (id)
  cross join lateral (
    select
      $1::uuid as tenant_id,
      listed.id
  ) orders
where
  (
    select
      true
    from
      order_tags
    where
      order_tags.tenant_id = orders.tenant_id
      and order_tags.order_id = orders.id
      and order_tags.tag_key = any ($3::text[])
    limit
      1
  )
  and (
    select
      true
    from
      order_words
    where
      order_words.tenant_id = orders.tenant_id
      and order_words.order_id = orders.id
      and word_from >= lower($4)
      and word_from <= lower($5) || repeat(chr(1114111), 100)
    limit
      1
  )
limit
  21;

-- search.matchesInPart
-- $2 string, $3 string, $4 string
select
  orders.id
from
  (
    select
      *
    from
      orders
    where
      orders.tenant_id = $1
      and (orders.created_at, orders.id) < ($2::timestamptz, $3::uuid)
    order by
      created_at desc,
      id desc
    limit
      300
  ) orders
where
  orders.payment_status = $4
limit
  21;

-- search.lastOfPart of a currency
-- $2 string, $3 string
select
  id,
  created_at
from
  (
    select
      id,
      created_at,
      currency
    from
      orders
    where
      orders.tenant_id = $1
      and orders.currency >= $2
      and orders.currency <= $3
      and orders.status <> ''
      and true
    order by
      currency desc,
      created_at desc,
      id desc
    limit
      300
  ) part
offset
  299;

-- search.ofAll
-- $2 string, $3 string
with
  listed as materialized (
    select
      found.id,
      found.created_at,
      found.place
    from
      unnest(array[1]) as choice (number)
      cross join lateral (
        select
          part.id as id,
          part.created_at,
          row_number() over (
            order by
              part.created_at desc,
              part.id desc
          ) as place
        from
          (
            select
              id,
              created_at
            from
              orders
            where
              tenant_id = $1
              and true
              and orders.created_at >= $2::timestamptz
              and orders.created_at < $3::timestamptz
            order by
              created_at desc,
              id desc
            limit
              300
          ) part
      ) found
  ),
  ended as (
    select
      created_at,
      id
    from
      listed
    where
      place = 300
    order by
      created_at desc,
      id desc
    limit
      1
  )
select distinct
  created_at,
  id,
  (
    select
      true
    from
      ended
  ) as continues
from
  listed
where
  (created_at, id) >= all (
    select
      created_at,
      id
    from
      ended
  )
order by
  created_at desc,
  id desc
limit
  301;

-- search.listsOf states
-- $2 string[], $3 string[], $4 boolean[]
with
  listed as materialized (
    select
      found.id,
      found.created_at,
      found.place
    from
      unnest($2::text[], $3::text[], $4::boolean[]) as choice (payment_status, fulfillment_status, archived)
      cross join lateral (
        select
          part.id as id,
          part.created_at,
          row_number() over (
            order by
              part.created_at desc,
              part.id desc
          ) as place
        from
          (
            select
              id,
              created_at
            from
              orders
            where
              tenant_id = $1
              and orders.payment_status = choice.payment_status
              and orders.fulfillment_status = choice.fulfillment_status
              and orders.archived = choice.archived
              and orders.status = 'placed'
              and orders.pending_until is null
              and true
            order by
              created_at desc,
              id desc
            limit
              21
          ) part
      ) found
  ),
  ended as (
    select
      created_at,
      id
    from
      listed
    where
      place = 21
    order by
      created_at desc,
      id desc
    limit
      1
  )
select distinct
  created_at,
  id,
  (
    select
      true
    from
      ended
  ) as continues
from
  listed
where
  (created_at, id) >= all (
    select
      created_at,
      id
    from
      ended
  )
order by
  created_at desc,
  id desc
limit
  301;

-- search.listsOf a tag
-- $2 string[]
with
  listed as materialized (
    select
      found.id,
      found.created_at,
      found.place
    from
      unnest($2::text[]) as choice (tag_key)
      cross join lateral (
        select
          part.order_id as id,
          part.created_at,
          row_number() over (
            order by
              part.created_at desc,
              part.order_id desc
          ) as place
        from
          (
            select
              order_id,
              created_at
            from
              order_tags
            where
              tenant_id = $1
              and order_tags.tag_key = choice.tag_key
              and true
            order by
              created_at desc,
              order_id desc
            limit
              21
          ) part
      ) found
  ),
  ended as (
    select
      created_at,
      id
    from
      listed
    where
      place = 21
    order by
      created_at desc,
      id desc
    limit
      1
  )
select distinct
  created_at,
  id,
  (
    select
      true
    from
      ended
  ) as continues
from
  listed
where
  (created_at, id) >= all (
    select
      created_at,
      id
    from
      ended
  )
order by
  created_at desc,
  id desc
limit
  301;

-- search.listsOf a word
-- $2 string, $3 string, $4 string
with recursive
  words as (
    (
      select
        word
      from
        order_words
      where
        tenant_id = $1
        and word >= lower($2)
        and word <= lower($3) || repeat(chr(1114111), 100)
        and true
      order by
        word
      limit
        1
    )
    union all
    select
      (
        select
          word
        from
          order_words
        where
          tenant_id = $1
          and order_words.word > words.word
          and word <= lower($4) || repeat(chr(1114111), 100)
        order by
          word
        limit
          1
      )
    from
      words
    where
      word is not null
  )
select
  word
from
  words
where
  word is not null
limit
  41;

-- $2 array
with
  listed as materialized (
    select
      found.id,
      found.created_at,
      found.place
    from
      unnest($2::text[]) as choice (word)
      cross join lateral (
        select
          part.order_id as id,
          part.created_at,
          row_number() over (
            order by
              part.created_at desc,
              part.order_id desc
          ) as place
        from
          (
            select
              order_id,
              created_at
            from
              order_words
            where
              tenant_id = $1
              and order_words.word = choice.word
              and true
            order by
              created_at desc,
              order_id desc
            limit
              21
          ) part
      ) found
  ),
  ended as (
    select
      created_at,
      id
    from
      listed
    where
      place = 21
    order by
      created_at desc,
      id desc
    limit
      1
  )
select distinct
  created_at,
  id,
  (
    select
      true
    from
      ended
  ) as continues
from
  listed
where
  (created_at, id) >= all (
    select
      created_at,
      id
    from
      ended
  )
order by
  created_at desc,
  id desc
limit
  301;

-- search.listsOf words
-- $2 string, $3 string
select
  count(*)::int as count
from
  (
    select
      tenant_id,
      order_id,
      created_at
    from
      order_words
    where
      tenant_id = $1
      and word_from >= lower($2)
      and word_from <= lower($3) || repeat(chr(1114111), 100)
    order by
      word_from
    limit
      1000
  ) found;

-- $2 string, $3 string
with
  listed as materialized (
    select
      found.id,
      found.created_at,
      found.place
    from
      unnest(array[1]) as choice (number)
      cross join lateral (
        select
          part.order_id as id,
          part.created_at,
          row_number() over (
            order by
              part.created_at desc,
              part.order_id desc
          ) as place
        from
          (
            select
              order_id,
              created_at
            from
              (
                select
                  tenant_id,
                  order_id,
                  created_at
                from
                  order_words
                where
                  tenant_id = $1
                  and word_from >= lower($2)
                  and word_from <= lower($3) || repeat(chr(1114111), 100)
                order by
                  word_from
                limit
                  1000
              ) found
            where
              tenant_id = $1
              and true
              and true
            order by
              created_at desc,
              order_id desc
            limit
              21
          ) part
      ) found
  ),
  ended as (
    select
      created_at,
      id
    from
      listed
    where
      place = 21
    order by
      created_at desc,
      id desc
    limit
      1
  )
select distinct
  created_at,
  id,
  (
    select
      true
    from
      ended
  ) as continues
from
  listed
where
  (created_at, id) >= all (
    select
      created_at,
      id
    from
      ended
  )
order by
  created_at desc,
  id desc
limit
  301;

-- search.listsOf totals
-- $2 string, $3 number, $4 number
select
  count(*)::int as count
from
  (
    select
      tenant_id,
      id,
      created_at
    from
      orders
    where
      tenant_id = $1
      and orders.currency = $2
      and orders.total_amount >= $3::bigint
      and orders.total_amount <= $4::bigint
    order by
      total_amount
    limit
      1000
  ) found;

-- $2 string, $3 number, $4 number
with
  listed as materialized (
    select
      found.id,
      found.created_at,
      found.place
    from
      unnest(array[1]) as choice (number)
      cross join lateral (
        select
          part.id as id,
          part.created_at,
          row_number() over (
            order by
              part.created_at desc,
              part.id desc
          ) as place
        from
          (
            select
              id,
              created_at
            from
              (
                select
                  tenant_id,
                  id,
                  created_at
                from
                  orders
                where
                  tenant_id = $1
                  and orders.currency = $2
                  and orders.total_amount >= $3::bigint
                  and orders.total_amount <= $4::bigint
                order by
                  total_amount
                limit
                  1000
              ) found
            where
              tenant_id = $1
              and true
              and true
            order by
              created_at desc,
              id desc
            limit
              21
          ) part
      ) found
  ),
  ended as (
    select
      created_at,
      id
    from
      listed
    where
      place = 21
    order by
      created_at desc,
      id desc
    limit
      1
  )
select distinct
  created_at,
  id,
  (
    select
      true
    from
      ended
  ) as continues
from
  listed
where
  (created_at, id) >= all (
    select
      created_at,
      id
    from
      ended
  )
order by
  created_at desc,
  id desc
limit
  301;

-- $2 string, $3 string
with
  listed as materialized (
    select
      found.id,
      found.created_at,
      found.place
    from
      unnest(array[1]) as choice (number)
      cross join lateral (
        select
          part.id as id,
          part.created_at,
          row_number() over (
            order by
              part.created_at desc,
              part.id desc
          ) as place
        from
          (
            select
              id,
              created_at
            from
              orders
            where
              tenant_id = $1
              and orders.currency >= $2
              and orders.currency <= $3
              and true
            order by
              currency desc,
              created_at desc,
              id desc
            limit
              300
          ) part
      ) found
  ),
  ended as (
    select
      created_at,
      id
    from
      listed
    where
      place = 300
    order by
      created_at desc,
      id desc
    limit
      1
  )
select distinct
  created_at,
  id,
  (
    select
      true
    from
      ended
  ) as continues
from
  listed
where
  (created_at, id) >= all (
    select
      created_at,
      id
    from
      ended
  )
order by
  created_at desc,
  id desc
limit
  301;

-- search.rewriteWords
-- $2 string[]
delete from order_words
where
  tenant_id = $1
  and order_id = any ($2::uuid[]);

-- $2 string[]
insert into
  order_words (tenant_id, order_id, word_from, created_at)
select
  orders.tenant_id,
  orders.id,
  words.word_from,
  orders.created_at
from
  orders
  cross join lateral (
    select
      left(lower(orders.email), 100) as word_from
    union
    select distinct
      left(substr(key, place), 100) as word_from
    from
      (
        select distinct
          key
        from
          (
            values
              (replace(lower(translate(normalize(orders.number), '’‘ʼ´`', '''''''''''')), 'ς', 'σ')),
              (
                regexp_replace(
                  lower(translate(normalize(orders.number), '’‘ʼ´`', '''''''''''')),
                  '[σςΣ](?![\u0370-\u03ff\u1f00-\u1fff])',
                  'ς',
                  'g'
                )
              ),
              (
                replace(
                  replace(
                    replace(
                      replace(
                        replace(
                          replace(
                            replace(
                              replace(lower(regexp_replace(normalize(orders.number, NFKD), '[\u0300-\u036f''’‘ʼ´`]', '', 'g')), 'ß', 'ss'),
                              'æ',
                              'ae'
                            ),
                            'œ',
                            'oe'
                          ),
                          'ł',
                          'l'
                        ),
                        'ø',
                        'o'
                      ),
                      'đ',
                      'd'
                    ),
                    'ı',
                    'i'
                  ),
                  'ς',
                  'σ'
                )
              ),
              (
                regexp_replace(
                  replace(
                    replace(
                      replace(
                        replace(
                          replace(
                            replace(
                              replace(lower(regexp_replace(normalize(orders.number, NFKD), '[\u0300-\u036f''’‘ʼ´`]', '', 'g')), 'ß', 'ss'),
                              'æ',
                              'ae'
                            ),
                            'œ',
                            'oe'
                          ),
                          'ł',
                          'l'
                        ),
                        'ø',
                        'o'
                      ),
                      'đ',
                      'd'
                    ),
                    'ı',
                    'i'
                  ),
                  '[σςΣ](?![\u0370-\u03ff\u1f00-\u1fff])',
                  'ς',
                  'g'
                )
              ),
              (replace(lower(translate(normalize(orders.customer_name), '’‘ʼ´`', '''''''''''')), 'ς', 'σ')),
              (
                regexp_replace(
                  lower(translate(normalize(orders.customer_name), '’‘ʼ´`', '''''''''''')),
                  '[σςΣ](?![\u0370-\u03ff\u1f00-\u1fff])',
                  'ς',
                  'g'
                )
              ),
              (
                replace(
                  replace(
                    replace(
                      replace(
                        replace(
                          replace(
                            replace(
                              replace(
                                lower(regexp_replace(normalize(orders.customer_name, NFKD), '[\u0300-\u036f''’‘ʼ´`]', '', 'g')),
                                'ß',
                                'ss'
                              ),
                              'æ',
                              'ae'
                            ),
                            'œ',
                            'oe'
                          ),
                          'ł',
                          'l'
                        ),
                        'ø',
                        'o'
                      ),
                      'đ',
                      'd'
                    ),
                    'ı',
                    'i'
                  ),
                  'ς',
                  'σ'
                )
              ),
              (
                regexp_replace(
                  replace(
                    replace(
                      replace(
                        replace(
                          replace(
                            replace(
                              replace(
                                lower(regexp_replace(normalize(orders.customer_name, NFKD), '[\u0300-\u036f''’‘ʼ´`]', '', 'g')),
                                'ß',
                                'ss'
                              ),
                              'æ',
                              'ae'
                            ),
                            'œ',
                            'oe'
                          ),
                          'ł',
                          'l'
                        ),
                        'ø',
                        'o'
                      ),
                      'đ',
                      'd'
                    ),
                    'ı',
                    'i'
                  ),
                  '[σςΣ](?![\u0370-\u03ff\u1f00-\u1fff])',
                  'ς',
                  'g'
                )
              )
          ) as written (key)
      ) as texts
      cross join lateral generate_series(1, length(key)) as place
    where
      substr(key, place, 1) !~ '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2000-\u206f\u3000-\u3004]'
      and substr(' ' || key, place, 2) ~ '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u2000-\u206f\u3000-\u3004\u2e80-\u2fff\u3005-\ua4cf\uac00-\ud7ff\uf900-\ufaff]'
  ) words
where
  orders.tenant_id = $1
  and orders.id = any ($2::uuid[]);

-- search.numbersLike
-- $2 string
select
  number
from
  orders
where
  tenant_id = $1
  and lower(number) = lower($2)
  and id = any (
    array(
      select
        order_id
      from
        order_words
      where
        tenant_id = $1
        and word_from = left(lower($2), 100)
      limit
        100
    )
  )
order by
  number <> $2,
  created_at desc,
  id
limit
  10;

-- units.findOrderUnits
-- $2 string[]
select
  lines.order_id,
  orders.number as order_number,
  case
    when orders.status = 'placed'
    and orders.pending_until is not null then 'pending'
    else orders.status
  end as order_status,
  lines.id,
  lines.variant_id,
  lines.sku,
  lines.title,
  lines.variant_title,
  lines.properties,
  lines.quantity,
  lines.requires_shipping,
  lines.restocked_quantity,
  refunded.quantity as refunded_quantity,
  refunded.written_off as written_off_quantity
from
  order_line_items lines
  join orders on orders.tenant_id = lines.tenant_id
  and orders.id = lines.order_id
  cross join lateral (
    select
      coalesce(sum(ledger.quantity), 0)::integer as quantity,
      coalesce(sum(ledger.written_off_quantity), 0)::integer as written_off
    from
      order_refund_items ledger
    where
      ledger.tenant_id = $1
      and ledger.order_id = lines.order_id
      and ledger.line_item_id = lines.id
  ) as refunded
where
  lines.tenant_id = $1
  and lines.order_id = any ($2::uuid[])
order by
  lines.position;

-- links.deleteExpired
delete from order_links
where
  tenant_id = $1
  and id in (
    select
      id
    from
      order_links
    where
      tenant_id = $1
      and expires_at <= now()
    order by
      expires_at
    limit
      1000
    for update
      skip locked
  )
returning
  1;

-- states.findOverdue
select
  id
from
  orders
where
  tenant_id = $1
  and status = 'placed'
  and payment_status = 'unpaid'
  and pay_by <= now()
  and pending_until is null
order by
  pay_by
limit
  200;

-- states.markReminded
update orders
set
  pay_reminded_at = now()
where
  tenant_id = $1
  and id in (
    select
      id
    from
      orders
    where
      tenant_id = $1
      and status = 'placed'
      and payment_status = 'unpaid'
      and pending_until is null
      and pay_by > now()
      and pay_by <= now() + interval '1 day'
      and pay_by > created_at + interval '1 day'
      and pay_reminded_at is null
    order by
      pay_by
    limit
      200
    for update
      skip locked
  )
returning
  *;

-- states.findDuePending
(
  select
    id,
    true as is_over
  from
    orders
  where
    tenant_id = $1
    and status = 'placed'
    and pending_until is not null
    and pending_until <= now()
  order by
    pending_until
  limit
    200
)
union all
(
  select
    id,
    false
  from
    orders
  where
    tenant_id = $1
    and status = 'placed'
    and pending_until is not null
    and pending_until > now()
    and payment_status in ('authorized', 'paid')
  limit
    200
);
