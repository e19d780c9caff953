import { type ReactNode, useEffect } from 'react';

/** Layout of the screens before login. */
export function Gate({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Merchant panel`;
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
