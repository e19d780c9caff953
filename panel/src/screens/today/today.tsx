import { Page } from '../../ui/page.tsx';

export function Today() {
  return (
    <Page title="Today">
      <p>Welcome.</p>
    </Page>
  );
}
