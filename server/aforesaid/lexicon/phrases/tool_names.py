"""Names of tools that projects are built, run or stored with.

A sentence that names one speaks of the project's environment. A missing name costs a candidate and
never produces a wrong one.
"""

from __future__ import annotations

_NAMES = """\
npm pnpm yarn bun deno npx uv pip pipx poetry pdm conda mamba hatch cargo rustup maven gradle sbt
nuget composer bundler homebrew brew apt nix make cmake ninja bazel meson webpack vite rollup
esbuild docker podman buildah containerd kubernetes k8s kubectl helm minikube nomad terraform
opentofu ansible pulumi vagrant systemd cron airflow dagster jenkins github gitlab gitea bitbucket
circleci buildkite argocd git svn mercurial ssh https http ftp sftp rsync ruff black flake8 pylint
isort mypy pyright eslint prettier biome stylelint rubocop clippy gofmt pytest unittest tox nox
jest vitest mocha jasmine cypress playwright selenium junit rspec phpunit postgres postgresql
mysql mariadb sqlite oracle mongodb mongo dynamodb redis valkey memcached elasticsearch opensearch
clickhouse snowflake bigquery duckdb kafka rabbitmq nats sqs celery aws gcp azure s3 gcs minio
heroku vercel netlify cloudflare cloudfront hetzner nginx apache caddy traefik haproxy envoy vault
consul keycloak auth0 okta sentry datadog pagerduty grafana prometheus loki splunk cloudwatch
mailgun sendgrid postmark twilio stripe paypal jira trello confluence discord figma pypi java
python node ruby golang rust php kotlin swift typescript dotnet linux ubuntu debian fedora alpine
macos windows utc"""

TOOL = rf"(?<![A-Za-z0-9])(?:{'|'.join(_NAMES.split())})(?![A-Za-z0-9])"
