/** Student's t: the tail of the distribution, for p-values far smaller than a resampling could show. Pure. */

/**
 * The probability that a t-distributed value with `freedom` degrees of freedom (1 or more) is `t` or larger.
 *
 * By the regularised incomplete beta function (Abramowitz and Stegun, 26.7.1 and 26.5.8).
 */
export function studentTail(t: number, freedom: number): number {
  if (t === Infinity) return 0;
  if (t === -Infinity) return 1;
  const beyond = betaShare(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  return t >= 0 ? beyond : 1 - beyond;
}

/** The regularised incomplete beta function I_x(a, b). */
function betaShare(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const factor = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x),
  );
  // The continued fraction converges fast on this side of the mean only.
  return x < (a + 1) / (a + b + 2)
    ? (factor * betaFraction(x, a, b)) / a
    : 1 - (factor * betaFraction(1 - x, b, a)) / b;
}

const termsMax = 300;

/** The continued fraction of the incomplete beta function, from its end. */
function betaFraction(x: number, a: number, b: number): number {
  let fraction = 1;
  for (let m = termsMax; m >= 1; m -= 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = -((a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    fraction = 1 + even / (1 + odd / fraction);
  }
  return 1 / (1 - ((a + b) / (a + 1)) * (x / fraction));
}

/** Lanczos' approximation with g = 5 and six terms (Numerical Recipes, 6.1); exact to 2e-10. */
function logGamma(x: number): number {
  const terms = [
    76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.001208650973866179,
    -0.000005395239384953,
  ];
  const base = x + 5.5;
  const series = terms.reduce((sum, term, place) => sum + term / (x + place + 1), 1.000000000190015);
  return (x + 0.5) * Math.log(base) - base + Math.log((Math.sqrt(2 * Math.PI) * series) / x);
}
