import { Component, type ReactNode, useEffect, useState } from 'react';
import { t } from '../language/texts.ts';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { PartNotLoaded } from './lazy-part.ts';
import { isOutdated, reachServer } from './version.ts';

interface Props {
  /** The current screen. When it changes, the error is cleared. */
  place?: string;
  children: ReactNode;
}

/** Limits an error to one screen, so that the menu and other screens still work. */
export class ErrorBoundary extends Component<Props, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate({ place }: Props) {
    if (place !== this.props.place && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (error instanceof PartNotLoaded) return <NotLoaded />;
    return <Broken onRetry={() => this.setState({ error: undefined })} />;
  }
}

/**
 * Reloads the page if the server can be reached: immediately if it has a new version, when the connection returns, or
 * when the user asks for it.
 */
function NotLoaded() {
  const [unreachable, setUnreachable] = useState(false);

  async function retry() {
    const page = await reachServer();
    setUnreachable(page === undefined);
    if (page !== undefined) window.location.reload();
  }

  useEffect(() => {
    void reachServer().then((page) => page !== undefined && isOutdated(page) && window.location.reload());
    const onOnline = () => void retry();
    window.addEventListener('online', onOnline);
    return () => window.removeEventListener('online', onOnline);
  }, []);

  return (
    <Page title={t('This screen could not be loaded')}>
      <div className="load-error" role="alert">
        <p>
          {unreachable
            ? t('The server still cannot be reached. Check the connection.')
            : t('The connection was lost while the screen was loading.')}
        </p>
        <Button onClick={() => void retry()}>{t('Try again')}</Button>
      </div>
    </Page>
  );
}

function Broken({ onRetry }: { onRetry: () => void }) {
  return (
    <Page title={t('This screen has failed')}>
      <div className="load-error" role="alert">
        <p>{t('An error in the panel stopped this screen. Other screens still work.')}</p>
        <div className="actions">
          <Button onClick={onRetry}>{t('Try again')}</Button>
          <Button onClick={() => window.location.reload()}>{t('Reload the panel')}</Button>
        </div>
      </div>
    </Page>
  );
}
