import { CartContent } from '../../../components/cart.tsx';
import { languageOf } from '../../../lib/language.ts';
import { currentCart } from '../../../lib/shop.ts';
import { say } from '../../../lib/words.ts';

/** The cart as a page, for browsers without JavaScript and for the way back from the checkout. */
export default async function CartPage({ params }: { params: Promise<{ lang: string }> }) {
  const language = await languageOf(params);
  return (
    <>
      <h1>{say(language, 'cart')}</h1>
      <CartContent cart={await currentCart()} />
    </>
  );
}
