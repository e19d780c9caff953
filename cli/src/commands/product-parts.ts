import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { CommandError, EXIT } from '../errors.ts';
import { addFlags, givenRequest, nameFlags } from '../flags.ts';
import { calls } from '../operations.ts';
import { plain, show } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { uploadPicture } from '../upload.ts';
import { addYes, isJson, type YesOption } from './options.ts';
import { confirmPrice } from './price-change.ts';
import { findProduct, productText } from './product-view.ts';
import { addVariantsUpdateMany } from './variants-update-many.ts';

type Product = Schemas['Product'];

const VARIANT_EXAMPLES = `
PRODUCT is an id, a slug or a SKU; VARIANT is a SKU or an id. "none" removes a value. Stock is changed by
commerce inventory adjust. Deleting, and a price change of more than 80 %, ask first; programs agree with --yes.

Examples:
  $ commerce variants create linen-shirt --option1 M --option2 Blue --price 49.00 --sku SHIRT-M-BLUE --stock 10
  $ commerce variants update linen-shirt SHIRT-M-BLUE --price 45.00
  $ commerce variants delete linen-shirt SHIRT-M-BLUE`;

const OPTION_EXAMPLES = `
PRODUCT is an id, a slug or a SKU; OPTION is a name or an id. New values replace all values of an option. Deleting asks first;
programs agree with --yes.

Examples:
  $ commerce options create linen-shirt Size --value S --value M --value L
  $ commerce options update linen-shirt Size --value S --value M --value L --value XL
  $ commerce options delete linen-shirt Size`;

const IMAGE_EXAMPLES = `
PRODUCT is an id, a slug or a SKU; IMAGE is a position, from 1, or an id. Deleting asks first; programs agree with --yes.

Examples:
  $ commerce images create linen-shirt shirt.jpg --alt "A blue linen shirt"
  $ commerce images create linen-shirt https://shop.example/shirt.jpg
  $ commerce images update linen-shirt 2 --position 1
  $ commerce images update linen-shirt 2 --variant SHIRT-M-BLUE --variant SHIRT-L-BLUE
  $ commerce images delete linen-shirt 2`;

const ITS_VARIANTS = {
  flag: '--variant <variant>',
  help: 'a variant that the image shows, by SKU or id; may be repeated',
};

/** `variants|options|images create|update|delete`: change the parts of a product. */
export function addProductParts(program: Command, terminal: Terminal): void {
  const variants = program.command('variants').description('The variants of a product.');
  const options = program.command('options').description('The options of a product, such as its sizes.');
  const images = program.command('images').description('The images of a product.');
  for (const [group, examples] of [
    [variants, VARIANT_EXAMPLES],
    [options, OPTION_EXAMPLES],
    [images, IMAGE_EXAMPLES],
  ] as const) {
    group.addHelpText('after', examples);
  }
  addVariants(variants, terminal);
  addVariantsUpdateMany(variants, terminal);
  addOptions(options, terminal);
  addImages(images, terminal);
}

function addVariants(variants: Command, terminal: Terminal): void {
  addFlags(variants.command('create <product>'), 'dashboard.createVariant')
    .description('Add a variant to a product.')
    .addHelpText('after', VARIANT_EXAMPLES)
    .action((wanted: string, _options, command: Command) =>
      onProduct(wanted, command, terminal, async (client, { id: product_id }) => {
        const { body } = await givenRequest<'dashboard.createVariant'>(command, terminal);
        const params = { path: { product_id } };
        await unwrap(client.POST('/api/dashboard/products/{product_id}/variants', { params, body }));
        return findProduct(client, product_id);
      }),
    );
  addYes(addFlags(variants.command('update <product> <variant>'), 'dashboard.updateVariant'))
    .description('Change a variant.')
    .addHelpText('after', VARIANT_EXAMPLES)
    .action((wanted: string, variant: string, _options, command: Command) =>
      onProduct(wanted, command, terminal, async (client, product) => {
        const { body } = await givenRequest<'dashboard.updateVariant'>(command, terminal);
        const { id: variant_id, price } = variantOf(product, variant);
        const { currency } = product;
        await confirmPrice({ name: `${product.name}, ${variant}`, price, currency }, body.price, command, terminal);
        const params = { path: { product_id: product.id, variant_id } };
        await unwrap(client.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', { params, body }));
        return findProduct(client, product.id);
      }),
    );
  addYes(calls(variants.command('delete <product> <variant>'), 'dashboard.deleteVariant'))
    .description('Delete a variant.')
    .addHelpText('after', VARIANT_EXAMPLES)
    .action((wanted: string, variant: string, { yes }: YesOption, command: Command) =>
      onProduct(wanted, command, terminal, async (client, product) => {
        const params = { path: { product_id: product.id, variant_id: variantOf(product, variant).id } };
        if (!yes) await confirm(terminal, plain(`Delete the variant ${variant} of ${product.name}?`));
        return unwrap(client.DELETE('/api/dashboard/products/{product_id}/variants/{variant_id}', { params }));
      }),
    );
}

function addOptions(options: Command, terminal: Terminal): void {
  addFlags(options.command('create <product> <name>'), 'dashboard.createOption')
    .description('Add an option to a product.')
    .addHelpText('after', OPTION_EXAMPLES)
    .action((wanted: string, name: string, _options, command: Command) =>
      onProduct(wanted, command, terminal, async (client, { id: product_id }) => {
        const { body } = await givenRequest<'dashboard.createOption'>(command, terminal, { name });
        const call = { params: { path: { product_id } }, body };
        return unwrap(client.POST('/api/dashboard/products/{product_id}/options', call));
      }),
    );
  addFlags(options.command('update <product> <option>'), 'dashboard.updateOption')
    .description('Rename an option, move it, or replace its values.')
    .addHelpText('after', OPTION_EXAMPLES)
    .action((wanted: string, option: string, _options, command: Command) =>
      onProduct(wanted, command, terminal, async (client, product) => {
        const { body } = await givenRequest<'dashboard.updateOption'>(command, terminal);
        const params = { path: { product_id: product.id, option_id: optionOf(product, option).id } };
        return unwrap(client.PATCH('/api/dashboard/products/{product_id}/options/{option_id}', { params, body }));
      }),
    );
  addYes(calls(options.command('delete <product> <option>'), 'dashboard.deleteOption'))
    .description('Delete an option.')
    .addHelpText('after', OPTION_EXAMPLES)
    .action((wanted: string, option: string, { yes }: YesOption, command: Command) =>
      onProduct(wanted, command, terminal, async (client, product) => {
        const params = { path: { product_id: product.id, option_id: optionOf(product, option).id } };
        if (!yes) await confirm(terminal, plain(`Delete the option ${option} of ${product.name}?`));
        return unwrap(client.DELETE('/api/dashboard/products/{product_id}/options/{option_id}', { params }));
      }),
    );
}

function addImages(images: Command, terminal: Terminal): void {
  const create = images.command('create <product> <image>');
  addFlags(nameFlags(create, { url: 'IMAGE', file_id: 'IMAGE' }), 'dashboard.createImage', {
    url: false,
    file_id: false,
    variant_ids: ITS_VARIANTS,
  })
    .description('Add an image to a product: a file on this machine, which is uploaded, or a URL.')
    .addHelpText('after', IMAGE_EXAMPLES)
    .action((wanted: string, image: string, _options, command: Command) =>
      onProduct(wanted, command, terminal, async (client, product) => {
        const { body } = await givenRequest<'dashboard.createImage'>(command, terminal);
        const source = /^https?:/i.test(image) ? { url: image } : { file_id: (await uploadPicture(client, image)).id };
        const call = {
          params: { path: { product_id: product.id } },
          body: { ...withVariantIds(body, product), ...source },
        };
        return unwrap(client.POST('/api/dashboard/products/{product_id}/images', call));
      }),
    );
  addFlags(images.command('update <product> <image>'), 'dashboard.updateImage', { variant_ids: ITS_VARIANTS })
    .description('Change an image, or move it.')
    .addHelpText('after', IMAGE_EXAMPLES)
    .action((wanted: string, image: string, _options, command: Command) =>
      onProduct(wanted, command, terminal, async (client, product) => {
        const given = await givenRequest<'dashboard.updateImage'>(command, terminal);
        const body = withVariantIds(given.body, product);
        const params = { path: { product_id: product.id, image_id: imageOf(product, image).id } };
        return unwrap(client.PATCH('/api/dashboard/products/{product_id}/images/{image_id}', { params, body }));
      }),
    );
  addYes(calls(images.command('delete <product> <image>'), 'dashboard.deleteImage'))
    .description('Delete an image.')
    .addHelpText('after', IMAGE_EXAMPLES)
    .action((wanted: string, image: string, { yes }: YesOption, command: Command) =>
      onProduct(wanted, command, terminal, async (client, product) => {
        const { id: image_id, url } = imageOf(product, image);
        if (!yes) await confirm(terminal, plain(`Delete the image ${url} of ${product.name}?`));
        const params = { path: { product_id: product.id, image_id } };
        return unwrap(client.DELETE('/api/dashboard/products/{product_id}/images/{image_id}', { params }));
      }),
    );
}

/** Finds the product, changes it and shows the result. */
async function onProduct(
  wanted: string,
  command: Command,
  terminal: Terminal,
  act: (client: DashboardClient, product: Product) => Promise<Product>,
): Promise<void> {
  const { client } = await openSession(command, terminal);
  const product = await act(client, await findProduct(client, wanted));
  show(terminal, isJson(command), product, (paint) => productText(product, paint, terminal));
}

function variantOf(product: Product, wanted: string) {
  const isIt = ({ id, sku }: Product['variants'][number]) =>
    id === wanted || sku?.toLowerCase() === wanted.toLowerCase();
  return product.variants.find(isIt) ?? missing('variant', wanted, product);
}

function optionOf(product: Product, wanted: string) {
  const isIt = ({ id, name }: Product['options'][number]) =>
    id === wanted || name.toLowerCase() === wanted.toLowerCase();
  return product.options.find(isIt) ?? missing('option', wanted, product);
}

function imageOf(product: Product, wanted: string) {
  const isIt = ({ id, position }: Product['images'][number]) => id === wanted || String(position) === wanted;
  return product.images.find(isIt) ?? missing('image', wanted, product);
}

/** Replaces SKUs by ids in the list of an image's variants. */
function withVariantIds<Body extends { variant_ids?: string[] }>(body: Body, product: Product): Body {
  const { variant_ids } = body;
  return variant_ids ? { ...body, variant_ids: variant_ids.map((wanted) => variantOf(product, wanted).id) } : body;
}

function missing(noun: string, wanted: string, { name, slug }: Product): never {
  const remedy = `See its parts: commerce products get ${slug} --json`;
  throw new CommandError(EXIT.refused, 'not_found', `${name} has no ${noun} ${wanted}.`, remedy);
}
