"""How far to trust a judge: agreement with people, calibration, tuning, canaries."""
