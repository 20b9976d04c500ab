/**
 * Schemas of pages.
 */
import {
  DateTime,
  Handle,
  humanText,
  integrationQuery,
  newRichText,
  nullable,
  object,
  oneOf,
  type Static,
  shapesOf,
  Type,
  withOptions,
} from '@carton/runtime';

/** The maximum number of pages of a store. */
export const maximumPages = 10_000;

export const pageStatuses = ['draft', 'published'] as const;

const Title = humanText(200, { examples: ['About us'] });
const Content = Type.String({ description: 'Sanitised HTML', examples: ['<p>We make shirts.</p>'] });
/** The maximum length of the content of a page, as it is written. */
export const maxContent = 100_000;
const NewContent = newRichText(maxContent, '<p>We make shirts.</p>');
const SeoTitle = nullable(
  Type.String({ maxLength: 200, description: 'For search engines, in place of the title', examples: ['About us'] }),
);
const SeoDescription = nullable(
  Type.String({ maxLength: 500, description: 'For search engines', examples: ['Who makes our shirts.'] }),
);
const PublishedAt = nullable(DateTime);

/** A page as shoppers see it. */
export const WebPage = object(
  {
    id: Type.String({ format: 'uuid' }),
    handle: Handle,
    title: Title,
    content: Content,
    seoTitle: SeoTitle,
    seoDescription: SeoDescription,
    publishedAt: withOptions(PublishedAt, { description: 'Null in the first moments after its time of publication' }),
    updatedAt: DateTime,
  },
  { $id: 'WebPage' },
);

export const shapes = shapesOf({
  name: 'Page',
  itemName: 'AdminPage',
  fields: {
    title: Title,
    status: oneOf(pageStatuses, { default: 'draft', description: 'Shoppers see no drafts' }),
    publishAt: nullable(
      Type.String({
        format: 'date-time',
        default: null,
        description: 'Shoppers do not see a published page before this time; null for immediately',
        examples: ['2026-03-01T12:00:00.000Z'],
      }),
    ),
    seoTitle: withOptions(SeoTitle, { default: null }),
    seoDescription: withOptions(SeoDescription, { default: null }),
  },
  readOnly: {
    handle: Handle,
    content: Content,
    publishedAt: withOptions(PublishedAt, {
      description: 'When it became visible and `page.published` was written; null while it is not visible',
    }),
  },
  createOnly: {
    handle: Type.Optional(withOptions(Handle, { description: 'Derived from the title by default' })),
    content: Type.Optional(withOptions(NewContent, { default: '' })),
  },
  updateOnly: { handle: Handle, content: NewContent },
});
export type AdminPage = Static<typeof shapes.Item>;
export type CreatePage = Static<typeof shapes.Create>;
export type ChangePage = Static<typeof shapes.Change>;

export const AdminPageQuery = integrationQuery({
  handle: Type.Optional(Handle),
  status: Type.Optional(oneOf(pageStatuses)),
});
