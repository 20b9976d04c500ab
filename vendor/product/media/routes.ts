/**
 * Routes of the media of products.
 */
import { route } from '@carton/runtime';
import { AdminProduct } from '../reads/schemas.ts';
import { SetProductMedia } from './schemas.ts';
import { setMedia } from './service.ts';

export const setProductMedia = route(
  {
    method: 'put',
    path: '/admin/products/:id/media',
    operationId: 'setProductMedia',
    tag: 'Products',
    summary: 'Set the media of a product and its variants, in their order',
    description: 'Upload the files with `POST /admin/media` before.',
    access: 'staff',
    body: SetProductMedia,
    status: 200,
    response: AdminProduct,
  },
  ({ db, params, body }) => setMedia(db, params.id, body),
);
