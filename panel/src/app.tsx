import { type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { Route, Router, Switch, useLocation } from 'wouter';
import { ShopFormatContext } from './format.ts';
import { adoptLanguage } from './language/choice.ts';
import { t } from './language/texts.ts';
import { Forgot } from './session/forgot.tsx';
import { InvitationScreen } from './session/invitation.tsx';
import { Login, LoginAgain } from './session/login.tsx';
import { Reset } from './session/reset.tsx';
import { StepUpDialog } from './session/step-up-dialog.tsx';
import { MeContext, renewSession, useSession } from './session/use-me.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { routes } from './shell/routes.tsx';
import { Shell } from './shell/shell.tsx';
import { useShopSettings } from './shell/use-shop.ts';
import { Empty, LoadError, Loading, LoadingPage } from './ui/page.tsx';

export function App() {
  return (
    <Router base="/panel">
      <Switch>
        <Route path="/forgot" component={Forgot} />
        <Route path="/reset" component={Reset} />
        <Route path="/invitation" component={InvitationScreen} />
        <Route>
          <Session />
        </Route>
      </Switch>
    </Router>
  );
}

/** Shows the login or the screens. Input in a form is kept when the session ends. */
function Session() {
  const session = useSession();
  const [location] = useLocation();
  const data = session.data;
  const me = useMemo(
    () =>
      data?.staff && data.merchant
        ? { staff: data.staff, merchant: data.merchant, role: data.role ?? '', scopes: data.scopes }
        : undefined,
    [data],
  );
  const [last, setLast] = useState(me);
  if (me && me !== last) setLast(me);
  useEffect(renewSession, [location]);
  const member = last?.staff.id;
  const language = data?.language;
  // Runs only when a staff member's data arrives for the first time, because a reload loses input.
  useEffect(() => {
    if (member !== undefined && language) adoptLanguage(language);
  }, [member]);
  if (data === undefined) {
    return session.error ? <LoadError error={session.error} onRetry={() => void session.refetch()} /> : <Loading />;
  }
  const shown = me ?? last;
  if (!shown) return <Login />;
  return (
    <MeContext key={`${shown.staff.id} ${shown.merchant.id}`} value={shown}>
      {!me && <LoginAgain />}
      <StepUpDialog />
      <ShopFormats>
        <Shell>
          <ErrorBoundary place={location}>
            <Suspense fallback={<LoadingPage />}>
              <Switch>
                {routes.map(({ path, component: Screen }) => (
                  <Route key={path} path={path}>
                    {/* The key resets the state of the screen when it shows another object. */}
                    {(params) => (
                      <Screen key={Object.values(params).join()} params={params as Record<string, string>} />
                    )}
                  </Route>
                ))}
                <Route>
                  <Empty title={t('There is no such screen')} />
                </Route>
              </Switch>
            </Suspense>
          </ErrorBoundary>
        </Shell>
      </ShopFormats>
    </MeContext>
  );
}

/** Provides the shop's currency, language and time zone for amounts and dates. */
function ShopFormats({ children }: { children: ReactNode }) {
  const settings = useShopSettings();
  const data = settings.data;
  const format = useMemo(
    () => data && { currency: data.currency, timeZone: data.time_zone, locale: data.default_locale },
    [data],
  );
  if (!format) {
    return settings.error ? <LoadError error={settings.error} onRetry={() => void settings.refetch()} /> : <Loading />;
  }
  return <ShopFormatContext value={format}>{children}</ShopFormatContext>;
}
