import { GatewayStatus, useGateway } from '@gatepass/react';
import { useEffect } from 'react';
import { findPass } from './back-end.ts';

interface PassSectionProps {
  readonly walletAddress: string;
  readonly network: string;
}

/** Shows everything that the hook knows about the pass. */
export function PassSection({ walletAddress, network }: PassSectionProps) {
  const { state, gatewayStatus, gatewayToken, isRequested, secondsToExpiry, error, requestGatewayToken } = useGateway();
  const expiry = gatewayToken?.expiryTime;
  const seconds = secondsToExpiry();

  // After a reload, only the back end knows that the pass is on its way.
  const isMissing = state === 'none';
  useEffect(() => {
    if (!isMissing) return;
    const ending = new AbortController();
    findPass(walletAddress, network, ending.signal)
      .then((pass) => {
        if (pass.state === 'REQUESTED' && !ending.signal.aborted) requestGatewayToken?.();
      })
      .catch(() => undefined);
    return () => ending.abort();
  }, [isMissing, walletAddress, network, requestGatewayToken]);

  return (
    <section aria-labelledby="pass">
      <h2 id="pass">Your pass</h2>
      <dl>
        <dt>State</dt>
        <dd className="state" data-state={state} data-testid="state">
          {state}
        </dd>
        <dt>Civic's name</dt>
        <dd data-testid="status">{GatewayStatus[gatewayStatus]}</dd>
        <dt>{state === 'expired' ? 'Ended on' : 'Valid until'}</dt>
        <dd>{expiry === undefined ? '–' : <Time seconds={expiry} />}</dd>
        <dt>Time left</dt>
        <dd>{seconds === undefined ? '–' : leftOf(seconds)}</dd>
        <dt>Request</dt>
        <dd data-testid="request">{isRequested ? 'under way' : 'none'}</dd>
      </dl>
      {error !== undefined && <p role="alert">{firstLineOf(error)}</p>}
    </section>
  );
}

function Time({ seconds }: { readonly seconds: number }) {
  const time = new Date(seconds * 1000);
  return <time dateTime={time.toISOString()}>{time.toLocaleString()}</time>;
}

/** viem's messages have a line for each detail of the call. */
const firstLineOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n')[0];

/** A time by its largest unit. */
function leftOf(seconds: number): string {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['second', 1];
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(Math.floor(seconds / size));
}

const UNITS: readonly (readonly [string, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
