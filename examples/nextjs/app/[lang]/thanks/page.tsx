import Link from 'next/link';
import { languageOf } from '../../../lib/language.ts';
import { say } from '../../../lib/words.ts';

export default async function Thanks({ params }: { params: Promise<{ lang: string }> }) {
  const language = await languageOf(params);
  return (
    <>
      <h1>{say(language, 'thanks')}</h1>
      <p>{say(language, 'thanks_text')}</p>
      <Link href={`/${language}`}>{say(language, 'home')}</Link>
    </>
  );
}
