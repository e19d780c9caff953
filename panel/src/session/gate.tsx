import { type ReactNode, useEffect } from 'react';
import { t } from '../language/texts.ts';

/** Layout of the screens before login. */
export function Gate({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = t('{title} · Merchant panel', { title });
  }, [title]);
  return (
    <main className="gate">
      <div className="card">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
