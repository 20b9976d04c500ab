/**
 * The schema of the media of a product, as staff send them.
 */
import { Media } from '@carton/media';
import { object, type Static, Type, Uuid, withOptions } from '@carton/runtime';
import { variantIds } from '../reads/schemas.ts';

/** The maximum number of media of a product. */
const maxMedia = 100;

const { altText } = Media.properties;
export const SetProductMedia = object(
  {
    media: Type.Array(
      object({
        mediaAssetId: Uuid,
        altText: Type.Optional(
          Type.Union([altText, Type.Null()], {
            description: 'In place of the alternative text of the asset',
            examples: [null],
          }),
        ),
        variantIds: Type.Optional(withOptions(variantIds, { default: [] })),
      }),
      { maxItems: maxMedia, description: 'In their order; the first picture represents the product in lists' },
    ),
  },
  { $id: 'SetProductMedia' },
);
export type SetProductMedia = Static<typeof SetProductMedia>;
