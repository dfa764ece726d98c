"""Ask for known vulnerabilities of the locked dependencies; say so plainly when the data cannot be reached."""

import json
import subprocess
import sys

PATIENCE = 90


def main() -> int:
    """Return 1 when a locked dependency has a known vulnerability, else 0."""
    command = [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "--format", "json", "--local"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        report = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        sys.stdout.write("audit skipped: the vulnerability data could not be reached\n")
        return 0
    audited = [each for each in report if "skip_reason" not in each]
    vulnerable = [each for each in audited if each["vulns"]]
    for each in vulnerable:
        known = ", ".join(vulnerability["id"] for vulnerability in each["vulns"])
        sys.stderr.write(f"{each['name']} {each['version']}: {known}\n")
    if len(audited) < len(report) // 2:
        sys.stdout.write(f"audit skipped: no vulnerability data for {len(report) - len(audited)} dependencies\n")
    return int(bool(vulnerable))


if __name__ == "__main__":
    sys.exit(main())
